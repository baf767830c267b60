"""What a build was made from: the files that its compiler read, and whether they are still so."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

#: In the folder of a build: file to a hash of what was in it, or null where it was not there.
RECORD = "made_from.json"
#: The file of Icarus' own list, a name a line.
ICARUS_LIST = "files.txt"
#: The one of Verilator, with more in each line; `S` is a source.
VERILATOR_LIST = "Vtop__verFiles.dat"
_VERILATOR_SOURCE = re.compile(r'S .*"([^"]*)"')


def is_as_it_was(folder: Path) -> bool:
    """Whether a build is there, and each file that it was made from is what it was then."""
    record = folder / RECORD
    if not record.exists():
        return False
    known: dict[str, str | None] = json.loads(record.read_text(encoding="utf-8"))
    return all(_hash(Path(file)) == digest for file, digest in known.items())


def forget(folder: Path) -> None:
    """From now on there is no build."""
    (folder / RECORD).unlink(missing_ok=True)


def note(folder: Path, read: Sequence[Path] | None, folders: Sequence[Path], since_ns: int) -> None:
    """Notes what a build was made from that began at `since_ns`, a time of the file system.

    `read` is what the compiler has read; where it does not say, and where a file may have changed
    after that, nothing is noted, and the next run builds again. `folders` are where the compiler
    looks, in turn: a file that comes to lie in one of them may stand in front of another one.
    """
    if read is None or any(file.stat().st_mtime_ns >= since_ns for file in read):
        return
    files = dict.fromkeys([*read, *_in_front_of(read, folders)])
    known = {str(file): _hash(file) for file in files}
    (folder / RECORD).write_text(json.dumps(known), encoding="utf-8")


def files_read(simulator: str, folder: Path, sources: Sequence[Path]) -> list[Path] | None:
    """What the compiler has read for a build in a folder; `None` where it does not say."""
    if simulator == "ghdl":
        # VHDL includes nothing, and finds no design unit in a file that it was not given.
        return [source.resolve() for source in sources]
    name = ICARUS_LIST if simulator == "icarus" else VERILATOR_LIST
    if not (folder / name).exists():
        return None
    lines = (folder / name).read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    if simulator == "verilator":
        lines = [match[1] for line in lines if (match := _VERILATOR_SOURCE.fullmatch(line))]
    files = [folder / line for line in dict.fromkeys(lines)]
    # The simulator's own of this build are made from the others.
    return [file for file in files if file.parent != folder] or None


def _in_front_of(read: Sequence[Path], folders: Sequence[Path]) -> Iterable[Path]:
    """Where else the compiler would look for what it has read."""
    for file in read:
        for folder in folders:
            if file.is_relative_to(folder):
                for other in folders:
                    yield other / file.relative_to(folder)


def _hash(file: Path) -> str | None:
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else None
