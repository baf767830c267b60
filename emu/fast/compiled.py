"""Compiled functions: how they are marked, and where what numba made of them is kept."""

from __future__ import annotations

import fcntl
import hashlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TypeVar, cast

import numba
from llvmlite.binding import get_host_cpu_name

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
    before = numba.config.CACHE_LOCATOR_CLASSES
    numba.config.CACHE_LOCATOR_CLASSES = f"{__name__}.{Kept.__name__}"
    try:
        return cast(F, numba.njit(cache=_can_be_written(), nogil=True)(function))
    finally:
        numba.config.CACHE_LOCATOR_CLASSES = before


class Kept:
    """Tells numba where it keeps what it made of an entry: a cache locator, in its words.

    numba's own look at the place of the function's file and at its age alone, so that they compile
    again where nothing changed, and do not where another file did. The folder's name stands for
    all files here.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> Kept:
        """The locator of one entry."""
        return cls(function)

    def get_cache_path(self) -> str:
        """The folder."""
        return str(cache_folder())

    def ensure_cache_path(self) -> None:
        """Makes the folder."""
        cache_folder().mkdir(parents=True, exist_ok=True)

    def get_source_stamp(self) -> str:
        """What a copy must have been made from, beyond what the folder's name says: nothing."""
        return ""

    def get_disambiguator(self) -> str:
        """What tells it from others of its name."""
        return str(self._line)


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
    return any(cache_folder().glob(f"{module}.{of.__qualname__}-*.nbi"))


@cache
def cache_folder() -> Path:
    """Where compiled code is kept, for these sources, this Python and this processor."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "rdma-path-emu" / "compiled" / _fingerprint()


@cache
def _can_be_written() -> bool:
    try:
        cache_folder().mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=cache_folder()).close()
    except OSError:
        return False  # then it is compiled each time
    return True


def _fingerprint() -> str:
    made_for = (numba.__version__, sys.implementation.cache_tag, get_host_cpu_name())
    digest = hashlib.sha256(repr(made_for).encode())
    for path in sorted(HERE.rglob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
