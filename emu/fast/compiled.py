"""Compiled functions: how they are marked, and where what numba made of them is kept."""

from __future__ import annotations

import fcntl
import hashlib
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])
HERE = Path(__file__).parent
#: Whoever waits for other processes holds it; and how often, as one that does may ask again.
_THREADS = threading.RLock()
_THREADS_INSIDE: list[int] = []


def compiled(function: F) -> F:
    """Marks what other compiled functions call; it is compiled as a part of them."""
    # Python never calls it, so it needs no way in for Python or C.
    return cast(F, numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)(function))


def entry(function: F) -> F:
    """Marks what Python calls; what numba made of it, and of all that it calls, is kept."""
    # numba looks at the function's own file alone to see whether a copy is stale. The name of the
    # folder stands for all files instead.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())
    try:
        return cast(F, numba.njit(cache=True, nogil=True)(function))
    finally:
        numba.config.CACHE_DIR = before


def compile_once(function: Callable[..., Any], call: Callable[[], object]) -> None:
    """Makes the first `call` of an `entry`, unless what that compiles is kept already.

    Of several processes that do so at the same time one compiles, and the others wait for it.
    """
    if not is_kept(function):
        with alone():
            call()


@contextmanager
def alone() -> Iterator[None]:
    """Waits until nobody else on this machine compiles; a process that ends lets the next one."""
    with _THREADS, ExitStack() as held:
        if not _THREADS_INSIDE:
            # Where nothing can be written there is nothing to wait for.
            with suppress(OSError):
                cache_folder().mkdir(parents=True, exist_ok=True)
                lock = held.enter_context((cache_folder() / "lock").open("w"))
                fcntl.flock(lock, fcntl.LOCK_EX)
        _THREADS_INSIDE.append(1)
        held.callback(_THREADS_INSIDE.pop)
        yield


def is_kept(function: Callable[..., Any]) -> bool:
    """Whether an `entry` starts without compiling: it has been compiled, now or earlier."""
    dispatcher = cast(Any, function)
    if dispatcher.signatures:
        return True
    of = dispatcher.py_func
    module = of.__module__.rpartition(".")[2]
    return any(cache_folder().rglob(f"{module}.{of.__qualname__}-*.nbi"))


@cache
def cache_folder() -> Path:
    """Where compiled code is kept, for this state of the sources."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "rdma-path-emu" / "compiled" / _fingerprint()


def _fingerprint() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(HERE.rglob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
