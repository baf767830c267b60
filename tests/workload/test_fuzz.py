"""Whatever is given: it is read, or its error says what is wrong."""

import tempfile
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.errors import EmuError
from emu.workload.build import described
from emu.workload.read import read_workload
from emu.workload.replay import read_replay
from emu.workload.schema import ReplaySpec
from tests.build import READ

WORDS = st.sampled_from(
    (
        *("kind", "open", "closed", "burst", "chain", "replay", "rate", "mix", "operation", "read"),
        *("bytes", "64 B", "weight", "choose", "zipf", "count", "exponent", "0.99", "1 M/s", "per"),
        *("outstanding", "initiators", "destinations", "addresses", "chains", "nodes", "3", "-1"),
        *(
            "0",
            "1e9",
            "99999999999999999999999",
            "true",
            "~",
            "file",
            "a.csv",
            "0x10",
            "é",
            "by_round",
        ),
    )
)
VALUES = st.recursive(
    WORDS,
    lambda below: st.one_of(
        st.lists(below, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.lists(st.tuples(WORDS, below), max_size=4).map(
            lambda pairs: "{" + ", ".join(f"{key}: {value}" for key, value in pairs) + "}"
        ),
    ),
    max_leaves=12,
)
KINDS = st.sampled_from(("open", "closed", "burst", "chain"))
LIKELY = st.builds(
    lambda kind, pairs: f"{{kind: {kind}" + "".join(f", {k}: {v}" for k, v in pairs) + "}",
    KINDS,
    st.lists(st.tuples(WORDS, VALUES), max_size=4, unique_by=lambda pair: pair[0]),
)


@given(st.one_of(VALUES, LIKELY, st.text(max_size=30)))
def test_a_text(text: str) -> None:
    with suppress(EmuError):
        spec, said = read_workload(text)
        if not isinstance(spec, ReplaySpec):
            made = described(spec, said, (READ, 64), 1, 10)
            assert all(at_ps >= 0 for at_ps, _ in islice(made.workload.posts(), 10))


CELLS = st.sampled_from(
    (
        *("time", "time_ns", "gap", "gap_ns", "operation", "bytes", "address", "order", "fence"),
        *("value", "compare"),
        *(
            "read",
            "64",
            "64 B",
            "1.5",
            "1 ns",
            "SO",
            "true",
            '"',
            "",
            " ",
            "x",
            "-1",
            "9" * 40,
            "\x00",
        ),
    )
)
LINES = st.lists(st.lists(CELLS, max_size=6).map(",".join), max_size=5).map("\n".join)
JSON = st.one_of(
    st.sampled_from(("1", "1.5", "true", "null", '"read"', '"1 ns"', "[]", "{}", "1e999", "NaN")),
)
OBJECTS = st.lists(
    st.lists(st.tuples(CELLS, JSON), max_size=6).map(
        lambda pairs: "{" + ", ".join(f'"{key}": {value}' for key, value in pairs) + "}"
    ),
    max_size=4,
).map("\n".join)


@pytest.mark.parametrize("suffix", (".csv", ".jsonl"))
@given(st.one_of(LINES, OBJECTS, st.text(max_size=40)))
def test_a_file_to_replay(suffix: str, text: str) -> None:
    with tempfile.TemporaryDirectory() as directory, suppress(EmuError):
        file = Path(directory) / f"trace{suffix}"
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        assert read_replay(file).posts
