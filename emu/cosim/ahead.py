"""Ahead: the model in a process of its own, so that it runs while the simulator does."""

from __future__ import annotations

import multiprocessing
import os
import signal
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from types import TracebackType

from emu.cosim.model import Handshakes, Model
from emu.errors import RunError

#: Cycles that the two sides run before they are compared.
CHUNK_CYCLES = 512
#: For the end of a process that has been told to end.
END_S = 5


@dataclass(frozen=True)
class Chunk:
    """The model's handshakes of the next cycles; whether all items are through by then, or lost."""

    handshakes: Handshakes
    is_over: bool
    dropped: int


class Ahead:
    """Runs a model some chunks ahead of who asks; as far as the pipe between them holds.

    The process is a fork of this one, so that a stage need not be importable by name, and ends
    with the `with` block.
    """

    def __init__(self, make_model: Callable[[], Model]) -> None:
        context = multiprocessing.get_context("fork")
        self._pipe, far_end = context.Pipe(duplex=False)
        self._process = context.Process(
            target=_run, args=(make_model, far_end, self._pipe), daemon=True
        )
        with warnings.catch_warnings():
            # From 3.12 on Python warns of a fork where there are threads; the child uses none.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process.start()
        far_end.close()

    def __enter__(self) -> Ahead:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._pipe.close()
        self._process.kill()
        self._process.join(END_S)

    def next(self) -> Chunk:
        """The next chunk; `RunError` with what went wrong in the model."""
        try:
            said: Chunk | str = self._pipe.recv()
        except EOFError:
            raise RunError("the process of the emulator has ended before its run") from None
        if isinstance(said, str):
            raise RunError(said)
        return said


def _run(make_model: Callable[[], Model], pipe: Connection, other_end: Connection) -> None:
    # Ctrl-C is for the simulator; this process ends when nobody listens.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    other_end.close()
    with suppress(BrokenPipeError):
        try:
            model = make_model()
            cycle = -1
            while True:
                cycle += CHUNK_CYCLES
                pipe.send(Chunk(model.advance(cycle), model.is_over, model.dropped))
        except BrokenPipeError:
            raise
        except Exception as error:
            pipe.send(f"the emulator: {error}")
    # What the simulator has registered to be done at its end is not for this process.
    os._exit(0)
