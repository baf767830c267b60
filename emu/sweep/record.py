"""Record: what a file was swept with, beside it, so that no other sweep goes on with it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from emu.sweep.errors import SweepError, writing

#: Values of an axis that a message shows before it says how many there are.
SHOWN_VALUES = 6


class Record:
    """`OUT.sweep.json`: the parameters of the sweep whose rows are in `OUT` or `OUT.part`."""

    def __init__(self, out: Path, wanted: dict[str, Any]) -> None:
        self.file = out.with_name(f"{out.name}.sweep.json")
        self._out = out
        self._wanted = wanted

    def is_complete(self, part: Path, rows: int) -> bool:
        """Whether all was swept before; if nothing was, notes what will be.

        `SweepError` where the rows that are there are those of another sweep.
        """
        if not self._out.exists() and not part.exists():
            self._write()
            return False
        differences = list(self._differences())
        if differences:
            text = "; ".join(differences)
            raise SweepError(
                f"{self._out}: it is of another sweep: {text}; expected the same, or another file"
            )
        if not self._out.exists():
            return False
        with writing(part):
            part.unlink(missing_ok=True)
        with self._out.open("rb") as stream:
            found = sum(1 for _ in stream) - 1
        if found != rows:
            raise SweepError(
                f"{self._out}: it was complete and now has {found} of {rows} rows; expected all; "
                "delete it to sweep again"
            )
        return True

    def _write(self) -> None:
        new = self.file.with_name(f"{self.file.name}.new")
        with writing(self.file):
            new.write_text(json.dumps(self._wanted, indent=1, ensure_ascii=False) + "\n")
            new.replace(self.file)

    def _differences(self) -> Iterator[str]:
        try:
            noted = json.loads(self.file.read_text())
            then, now = _by_label(noted), _by_label(self._wanted)
        except (OSError, ValueError, TypeError, KeyError):
            yield f"{self.file.name}, which says of which, is not there or not readable"
            return
        different = [label for label in now if label in then and then[label] != now[label]]
        for label in different:
            yield f"{label} was {_shown(then[label])}, and is {_shown(now[label])}"
        if not different:
            # Only now: digests are of tables with their settings, and differ where those do.
            tables = self._wanted["tables"]
            changed = [name for name in tables if noted["tables"][name] != tables[name]]
            if changed:
                yield f"{', '.join(changed)} said something else then"


def _by_label(parameters: dict[str, Any]) -> dict[str, Any]:
    """What a message can compare, by what it calls it."""
    return {
        "the version of emu": parameters["emu"],
        "what is swept": list(parameters["tables"]),
        "--set": parameters["set"],
        "--requests": parameters["requests"],
        "what is varied": list(parameters["vary"]),
        **parameters["vary"],
    }


def _shown(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    more = f", … ({len(value)} values)" if len(value) > SHOWN_VALUES else ""
    return ",".join(map(str, value[:SHOWN_VALUES])) + more or "nothing"
