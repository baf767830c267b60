"""What is wrong with what a stage does, told with the stage, the request and the time."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from emu.errors import EmuError
from emu.stage import StageError
from emu.time import format_time

if TYPE_CHECKING:
    from emu.request import Request

_ENGINE = f"{Path(__file__).parent}{os.sep}"


def called(stage: str, what: str, request: Request | None = None, at_ps: int | None = None) -> str:
    """How an error names a call: `stage x: serve of request 3 at 10 ns`."""
    of = "" if request is None else f" of request {request.sequence}"
    at = "" if at_ps is None else f" at {format_time(at_ps)}"
    return f"stage {stage}: {what}{of}{at}"


def pass_on(
    error: Exception,
    stage: str,
    what: str,
    request: Request | None = None,
    at_ps: int | None = None,
) -> NoReturn:
    """Raises what a stage's method raised: an `EmuError` as it is, else one that tells of it."""
    if isinstance(error, EmuError):
        raise error
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    outside = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(_ENGINE)
    ]
    where = f" ({outside[-1].filename}:{outside[-1].lineno})" if outside else ""
    place = called(stage, what, request, at_ps)
    raise StageError(
        f"{place} raises {said}{where}; expected no exception, or an EmuError"
    ) from error


@contextmanager
def asking(stage: str, what: str) -> Iterator[None]:
    """A call of a stage's method where time is no matter: `pass_on` for what it raises."""
    try:
        yield
    except Exception as error:
        pass_on(error, stage, what)
