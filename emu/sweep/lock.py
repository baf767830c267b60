"""A lock on an output file: one sweep at a time, and its end frees it, however it ends."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from emu.sweep.errors import SweepError, writing


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Holds `FILE.lock`; `SweepError` that says who has it where another process does.

    The operating system frees the lock of a process that is gone, so a file left behind by one
    that was killed locks nothing.
    """
    lock = file.with_name(f"{file.name}.lock")
    with writing(lock):
        descriptor = _take(file, lock)
    try:
        with writing(lock):
            os.truncate(descriptor, 0)
            os.write(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode())
        yield
    finally:
        # While it is still held: whoever opened it meanwhile sees that it is no longer there.
        lock.unlink(missing_ok=True)
        os.close(descriptor)


def _take(file: Path, lock: Path) -> int:
    while True:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            who = os.read(descriptor, 200).decode(errors="replace").strip() or "another process"
            os.close(descriptor)
            raise SweepError(
                f"{file}: {who} is sweeping into it; expected to wait for its end, or another file"
            ) from None
        if _is_same(descriptor, lock):
            return descriptor
        os.close(descriptor)


def _is_same(descriptor: int, lock: Path) -> bool:
    """Whether the file of that name is still the one that was opened."""
    try:
        return os.path.samestat(os.fstat(descriptor), lock.stat())
    except FileNotFoundError:
        return False
