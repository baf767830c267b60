"""Whatever a file holds: a table, or a `TableError`; never another exception."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from emu.table import TableError, load, table_names
from emu.table.catalog import shipped_directory
from tests.table.broken import write
from tests.table.everything import EVERYTHING

TEXTS = [
    (shipped_directory() / f"{name}.yaml").read_text(encoding="utf-8") for name in table_names()
]
TEXTS.append(EVERYTHING)
WORDS = sorted({word for text in TEXTS for word in text.split()})
PIECES = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(
        ["\t", "\n", "- ", ": ", "{", "}", "[", "]", "&a ", "*a", "<<: ", "!!x ", "'", '"', "---\n"]
    ),
    st.sampled_from(["null", "~", "-1", "0", "1e9", "true", "[]", "{}", "0 ns", "9 cycles"]),
    st.text(max_size=8),
)
# One file, written anew for each example.
ONE_FILE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def load_or_refuse(directory: Path, data: bytes) -> None:
    path = directory / "t.yaml"
    path.write_bytes(data)
    said = "nothing"
    try:
        load(path)
    except TableError as error:
        said = str(error)
    assert said
    assert "pydantic" not in said
    assert "Value error" not in said


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A shipped table with some of its words replaced, taken out or doubled."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        text = text[:start] + draw(PIECES) + text[end:]
    return text


@ONE_FILE
@given(text=mutated())
def test_a_mutated_table(tmp_path: Path, text: str) -> None:
    load_or_refuse(tmp_path, text.encode("utf-8", "surrogatepass"))


@ONE_FILE
@given(pieces=st.lists(PIECES, max_size=30))
@example(pieces=['a: "\\UFFFFFFFF"'])
@example(pieces=['extends: "\\0.yaml"'])
@example(pieces=["extends: ./" + "x" * 5000 + ".yaml"])
def test_pieces_of_tables(tmp_path: Path, pieces: list[str]) -> None:
    load_or_refuse(tmp_path, "".join(pieces).encode("utf-8", "surrogatepass"))


@ONE_FILE
@given(data=st.binary(max_size=60))
def test_bytes(tmp_path: Path, data: bytes) -> None:
    load_or_refuse(tmp_path, data)


VALUES = st.recursive(
    st.one_of(
        st.sampled_from(["1 ns", "~", "2", "true", "x", "''", "5 cycles", "-1 B"]), st.text()
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.dictionaries(st.sampled_from(["read", "text", "kind", "a"]), inner, max_size=3).map(
            lambda items: "{" + ", ".join(f"{key}: {value}" for key, value in items.items()) + "}"
        ),
    ),
    max_leaves=5,
)
WORDS_OF_TARGETS = (
    "wire_out wire clocks nic messages read resolution step defaults latency beat bytes uses when "
    "depth resources x other pcie slots tags window fibre kind capacity per overflow batch "
    "bandwidth verb_post descriptor_build"
)
TARGETS = st.lists(st.sampled_from(WORDS_OF_TARGETS.split()), max_size=4).map(".".join)


@ONE_FILE
@given(target=TARGETS, value=VALUES)
def test_any_override(tmp_path: Path, target: str, value: str) -> None:
    override = f"{target}={value}"
    everything = write(tmp_path, "everything.yaml", EVERYTHING)
    for table in ("pcie_nic", everything):
        with contextlib.suppress(TableError):
            load(table, overrides=[override])


ANY = ("3", "true", "[[]]", "{a: {b: c}}", "x", "[x]", "{}", "[]")


PARTS = EVERYTHING.replace("{", ",").replace("}", ",").replace("[", ",").split(",")


@pytest.mark.parametrize("value", ANY)
def test_any_value_in_place_of_any(tmp_path: Path, value: str) -> None:
    for part in dict.fromkeys(part.strip() for part in PARTS):
        key = part.partition(":")[0]
        if key.isidentifier():
            load_or_refuse(tmp_path, EVERYTHING.replace(part, f"{key}: {value}").encode())


@pytest.mark.parametrize(
    "key",
    ("stage", "name", "latency", "source", "uses", "beat", "when", "depth", "overflow", "batch"),
)
@pytest.mark.parametrize("value", ANY)
def test_any_value_under_under_any_key(tmp_path: Path, key: str, value: str) -> None:
    text = TEXTS[table_names().index("pcie_nic")].replace(
        "  - stage: wire\n", f"  - {key}: {value}\n"
    )
    load_or_refuse(tmp_path, text.encode())
