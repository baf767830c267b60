"""Every number of a shipped table has a source, and says of which kind it is."""

import pytest

from emu.table import load, table_names
from emu.table.schema import WHOLE, StageTiming

#: Keys of an entry that are no numbers.
WORDS = {
    "stage",
    "name",
    "at",
    "when",
    "clock",
    "channel",
    "refill",
    "overflow",
    "uses",
    "arbitration",
    "source",
}


@pytest.mark.parametrize("name", table_names())
def test_every_stage_says_where_its_numbers_come_from(name: str) -> None:
    for entry in load(name).entries:
        sources = entry.timing.source
        numbers = entry.timing.model_fields_set & (StageTiming.model_fields.keys() - WORDS)
        assert sources, entry.where
        assert WHOLE in sources or numbers <= sources.keys(), entry.where
        assert all(source.text for source in sources.values()), entry.where


@pytest.mark.parametrize("name", table_names())
def test_clocks_messages_and_resolution_have_a_source(name: str) -> None:
    head = load(name).head
    assert head.source is not None
    assert head.resolution is None or head.resolution.source is not None
    assert all(resource.source for resource in head.resources.values())


@pytest.mark.parametrize("name", [name for name in table_names() if name.startswith("openurma")])
def test_a_models_constants_are_assumed(name: str) -> None:
    for entry in load(name).entries:
        assert {source.kind for source in entry.timing.source.values()} == {"assumed"}, entry.where
        assert all("OpenURMA" in source.text for source in entry.timing.source.values())


def test_the_work_of_the_processor_on_the_nic_is_assumed_to_be_nothing() -> None:
    (work,) = [entry for entry in load("nic_processor").entries if entry.name == "processor_work"]
    assert {source.kind for source in work.timing.source.values()} == {"assumed"}
    assert [duration.count for duration in (work.timing.latency or {}).values()] == [0]


@pytest.mark.parametrize("name", table_names())
def test_says_that_its_rates_are_upper_limits(name: str) -> None:
    assert "upper limit" in (load(name).head.description or "")
