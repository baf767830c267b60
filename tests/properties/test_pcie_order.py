"""What holds on every PCIe link, under every load: who goes before whom."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from emu.channel import Channel
from emu.pcie import COMPLETION, NONPOSTED, POSTED
from emu.request import Request
from emu.table.schema import Table
from tests.build import Post, delay, run, table
from tests.engine.random_tables import RESOURCES, loaded_loads
from tests.engine.resources import use, user

many = settings(max_examples=max(150, settings.default.max_examples if settings.default else 0))

ENDS = st.sampled_from(("host", "device"))


@st.composite
def shared_links(draw: st.DrawFn) -> Table:
    """A few stages that read or write by one PCIe link, so that its directions carry both."""
    words = ["read", "write", *draw(st.lists(st.sampled_from(("read", "write")), max_size=2))]
    path = []
    for number, word in enumerate(draw(st.permutations(words))):
        more = {"relaxed_ordering": True} if word == "read" and draw(st.booleans()) else {}
        carried = use("pcie", as_=word, to=draw(ENDS), **more)
        latency = draw(st.sampled_from(("0 ns", "10 ns", "100 ns")))
        when = draw(st.sampled_from((["read"], ["write"], ["read", "write"])))
        path.append(user(f"s{number}", latency, carried, when=when))
    # Whatever a request is, some stage is for it.
    path.append(delay("end", "0 ns"))
    return table(path, resources={"pcie": draw(RESOURCES["pcie"])})


#: When it came to a link, when it went, and by which lane.
Passage = tuple[int, int, Any]


def passages(source: Table, load: list[Post]) -> dict[str, list[Passage]]:
    """Direction to all that it carried, in the order in which it did."""
    seen: dict[str, list[Passage]] = {}
    take = Channel.take

    def noted(self: Channel, request: Request, now_ps: int) -> None:
        if self.behind is not None:
            assert self.lane_of is not None
            lane = self.lane_of(request)
            seen.setdefault(self.name, []).append((request.arrived_ps, now_ps, lane))
        take(self, request, now_ps)

    with patch.object(Channel, "take", noted):
        run(source, load)
    return seen


@many
@given(shared_links(), loaded_loads())
def test_neither_reads_nor_completions_pass_posted_writes(source: Table, load: list[Post]) -> None:
    for carried in passages(source, load).values():
        for place, (came_ps, _, lane) in enumerate(carried):
            later = carried[place + 1 :]
            earlier_writes = [one for one in later if one[2] == POSTED and one[0] < came_ps]
            if lane in (NONPOSTED, COMPLETION, POSTED):
                assert not earlier_writes, (came_ps, lane)


@many
@given(shared_links(), loaded_loads())
def test_no_write_waits_for_more_than_one_of_each_other_kind_in_turn(
    source: Table, load: list[Post]
) -> None:
    for carried in passages(source, load).values():
        for place, (came_ps, _, lane) in enumerate(carried):
            if lane != POSTED:
                continue
            # From when it was the first of its lane: a turn of each of the others at most.
            before = carried[:place]
            last = max((at for at, one in enumerate(before) if one[2] == POSTED), default=-1)
            between = [one for one in before[last + 1 :] if one[1] > came_ps]
            assert len({one[2] for one in between}) == len(between), (came_ps, between)
