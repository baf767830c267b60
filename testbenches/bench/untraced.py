"""The engine without a place for a listener: what the checks for one cost is the difference."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from unittest.mock import patch

import emu.kernel


class _NobodyListens(ast.NodeTransformer):
    """Decides every `self._teller is None` beforehand, so that Python compiles the rest away."""

    def __init__(self) -> None:
        self.decided = 0

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        if ast.unparse(node.left) != "self._teller":
            return node
        self.decided += 1
        return ast.copy_location(ast.Constant(isinstance(node.ops[0], ast.Is)), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        rest = [one for one in node.values if ast.unparse(one) != "True"]
        return rest[0] if len(rest) == 1 else node


def untraced_kernel() -> type[emu.kernel.Kernel]:
    """The kernel's class, from its own source, without the checks for a listener."""
    tree = ast.parse(inspect.getsource(emu.kernel))
    nobody = _NobodyListens()
    tree = nobody.visit(tree)
    assert nobody.decided, "the kernel asks for its listener in another way by now"
    module = ModuleType("emu.kernel_untraced")
    exec(compile(ast.fix_missing_locations(tree), emu.kernel.__file__, "exec"), module.__dict__)
    made: type[emu.kernel.Kernel] = module.Kernel
    return made


@contextmanager
def untraced() -> Iterator[None]:
    """Paths that are built meanwhile run on the kernel without the checks."""
    with patch("emu.path.Kernel", untraced_kernel()):
        yield
