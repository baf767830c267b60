"""Pictures as files: PNG, SVG or PDF, in full or not at all, and the same bytes each time."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from emu.errors import EmuError, listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What a picture can be, by the suffix of its file, without the metadata that has a date in it.
FORMATS: dict[str, dict[str, None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
DPI = 150


def check_picture_file(file: Path) -> None:
    """`EmuError` where no picture can have that name."""
    if file.suffix.lower() not in FORMATS:
        raise EmuError(f"{file}: not a picture; expected a name that ends in {listed(FORMATS)}")
    if not file.parent.is_dir():
        raise EmuError(f"{file}: there is no folder '{file.parent}'; expected one that exists")


def write_picture(draw: Callable[[], Figure], file: Path) -> None:
    """Draws, and writes what was drawn by the suffix of `file`; `EmuError` where it cannot."""
    check_picture_file(file)
    # Imported here, because it takes longer than most runs do.
    from matplotlib import style

    suffix = file.suffix.lower()
    picture = io.BytesIO()
    with style.context(["default", {"svg.hashsalt": "emu", "pdf.fonttype": 42}]):
        draw().savefig(picture, format=suffix.removeprefix("."), dpi=DPI, metadata=FORMATS[suffix])
    write_whole(file, picture.getvalue())


def write_whole(file: Path, content: bytes) -> None:
    """The file is there in full or not at all."""
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        try:
            part.write_bytes(content)
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise EmuError(f"{file}: cannot be written: {error.strerror}") from error
