"""Cross checks: what each key says alone is right, but not beside the others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from emu.table.actor_checks import check_actor
from emu.table.errors import Problem
from emu.table.head_checks import check_head, good_clocks
from emu.table.hold_checks import check_holds
from emu.table.parse import Parsed
from emu.table.path_checks import check_path, places
from emu.table.stage_checks import StageChecks
from emu.table.use_checks import UseChecks


def check(parsed: Parsed, path: Path) -> Iterator[Problem]:
    """All problems between the parts of a table, as far as those parts could be read."""
    yield from check_head(parsed, path)
    clocks = good_clocks(parsed)
    names = places(parsed)
    for draft in parsed.drafts:
        yield from StageChecks(parsed, draft, clocks).problems()
        yield from check_actor(parsed, draft, clocks, names)
        yield from UseChecks(parsed, draft, names).problems()
    yield from check_path(parsed)
    yield from check_holds(parsed, names)
