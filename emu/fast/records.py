"""Records at an address, as numba's own type: what `emu.fast.memory` views a block with."""

# numba's classes and decorators have no types.
# mypy: disable-error-code="misc, untyped-decorator"

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model


class Records(types.Type):
    """The records, or the numbers, from an address on: what a block holds, as `things[place]`.

    An array of numba's would count who refers to it, which takes more time than all else here.
    """

    def __init__(self, of: Any) -> None:
        self.of = of
        super().__init__(name=f"Records({of})")


@register_model(Records)
class _RecordsModel(models.PrimitiveModel):
    """An address."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(64))


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):
    """`things[place]`: a number, or a record itself."""

    def generic(self, arguments: Any, named: Any) -> Any:
        """The types of it."""
        things, place = arguments
        if isinstance(things, Records) and isinstance(place, types.Integer):
            return signature(things.of, things, types.int64)
        return None


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):
    """`things[place] = one`: a number, or a copy of a record."""

    def generic(self, arguments: Any, named: Any) -> Any:
        """The types of it."""
        things, place, _ = arguments
        if isinstance(things, Records) and isinstance(place, types.Integer):
            return signature(types.none, things, types.int64, things.of)
        return None


def _place_of(context: Any, builder: Any, of: Any, address: Any, place: Any) -> Any:
    """A pointer to one of the things from an address on."""
    kind = context.get_data_type(of)
    size = ir.Constant(ir.IntType(64), context.get_abi_sizeof(kind))
    at = builder.add(address, builder.mul(place, size, flags=["nsw"]))
    return builder.inttoptr(at, kind.as_pointer())


@lower_builtin(operator.getitem, Records, types.int64)
def _get_item(context: Any, builder: Any, of: Any, arguments: Any) -> Any:
    kind = of.args[0].of
    pointer = _place_of(context, builder, kind, *arguments)
    return context.unpack_value(builder, kind, pointer)


@lower_builtin(operator.setitem, Records, types.int64, types.Any)
def _set_item(context: Any, builder: Any, of: Any, arguments: Any) -> Any:
    kind = of.args[0].of
    address, place, value = arguments
    pointer = _place_of(context, builder, kind, address, place)
    context.pack_value(builder, kind, value, pointer)
    return context.get_dummy_value()


@intrinsic
def records_at(typing_context: Any, address: Any, record: Any) -> Any:
    """The things of a type from an address on."""
    of = record.instance_type if hasattr(record, "instance_type") else record.dtype

    def generate(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
        return arguments[0]

    return Records(of)(types.int64, record), generate
