"""JSON lines: written, read back, and refused where something is wrong."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.trace.events import Event, Held, Kind, Left, Submitted, Touched
from emu.trace.filter import Filter
from emu.trace.header import Header
from emu.trace.jsonl import open_jsonl
from emu.trace.recording import Recording, TraceError
from tests.trace.made import HEADER, export, whole_traces

EVENTS: list[Event] = [
    Submitted(0, Kind.SUBMITTED, 3, "", 2, "write", 64, 128, 1, "SO", "ROL", True),
    Event(0, Kind.ARRIVED, 3, "order", 2),
    Held(0, Kind.HELD, 3, "order", 2, 1),
    Event(7, Kind.ACCEPTED, 3, "order", 2),
    Event(9, Kind.EMITTED, 3, "order", 2),
    Left(9, Kind.LEFT, 3, "order", 2, (("service", 2), ("ordering", 7))),
    Touched(9, Kind.VISIBLE, 3, "memory", 2, 128, 2**64 - 1),
    Event(12, Kind.COMPLETED, 3, "", 2),
]
LINES = """\
{"t_ps":0,"kind":"submitted","req":3,"stage":"","init":2,"op":"write","bytes":64,"addr":128,\
"dest":1,"order":"SO","service":"ROL","fence":true}
{"t_ps":0,"kind":"arrived","req":3,"stage":"order","init":2}
{"t_ps":0,"kind":"held","req":3,"stage":"order","init":2,"behind":1}
{"t_ps":7,"kind":"accepted","req":3,"stage":"order","init":2}
{"t_ps":9,"kind":"emitted","req":3,"stage":"order","init":2}
{"t_ps":9,"kind":"left","req":3,"stage":"order","init":2,"parts_ps":{"service":2,"ordering":7}}
{"t_ps":9,"kind":"visible","req":3,"stage":"memory","init":2,"addr":128,"value":18446744073709551615}
{"t_ps":12,"kind":"completed","req":3,"stage":"","init":2}
{"end_ps":12}
"""


def read(file: Path) -> tuple[Header, list[Event]]:
    with Recording(file) as recording:
        return recording.header, list(recording)


def test_what_lines_look_like(tmp_path: Path) -> None:
    text = export(open_jsonl, tmp_path / "t.jsonl", HEADER, EVENTS)
    head, _, lines = text.partition("\n")
    assert lines == LINES
    assert json.loads(head) == {
        "format": "rdma-path-emu trace",
        "schema": 2,
        "version": "0.1.0",
        "table": "made",
        "title": "A path that is not there",
        "digest": "0" * 64,
        "seed": 7,
        "workload": {"kind": "burst"},
        "run": {},
        "filters": [],
        "clocks": [{"name": "nic", "period_ps": "500000/161", "phase_ps": 0, "aligned": True}],
        "stages": [
            {"name": "issue", "kind": "nic_pipeline", "at": "initiator", "clock": "nic"},
            {"name": "order", "kind": "ordering_engine", "at": "initiator", "clock": ""},
            {"name": "memory", "kind": "memory", "at": "target", "clock": ""},
        ],
    }
    assert read(tmp_path / "t.jsonl") == (HEADER, EVENTS)


@given(whole_traces())
def test_what_is_read_back_is_what_was_told(trace: tuple[Header, list[Event]]) -> None:
    header, events = trace
    with TemporaryDirectory() as folder:
        file = Path(folder) / "t.jsonl"
        export(open_jsonl, file, header, events)
        assert read(file) == (header, events)


whole = st.integers(0, 2**70)
words = st.text(st.characters(exclude_categories=["Cs"]))
parts = st.dictionaries(words, whole).map(lambda found: tuple(found.items()))
stages = st.sampled_from(("", "issue", "order", "memory"))
filters = st.builds(
    Filter,
    whole,
    st.none() | whole,
    st.lists(st.tuples(st.integers(0, 9), st.integers(9, 10**6))).map(tuple),
    st.lists(whole).map(tuple),
    st.lists(words).map(tuple),
)


@given(
    st.lists(
        st.one_of(
            st.builds(
                Submitted,
                st.just(5),
                st.just(Kind.SUBMITTED),
                *(whole, stages, whole, words, whole, whole, whole, words, words, st.booleans()),
            ),
            st.builds(Held, st.just(5), st.just(Kind.HELD), whole, stages, whole, st.integers(-1)),
            st.builds(
                Touched,
                st.just(5),
                st.sampled_from((Kind.SAMPLED, Kind.VISIBLE)),
                *(whole, stages, whole, whole, st.integers()),
            ),
            st.builds(Left, st.just(5), st.just(Kind.LEFT), whole, stages, whole, parts),
            st.builds(Event, st.just(5), st.just(Kind.CONSUMED), whole, stages, whole),
        )
    ),
    words,
    st.lists(filters, max_size=2).map(tuple),
)
def test_any_value_comes_back(events: list[Event], title: str, wanted: tuple[Filter, ...]) -> None:
    said = {"x": [title]}
    header = Header("1", "made", title, "", -3, said, (), HEADER.stages, {"set": [title]}, wanted)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "t.jsonl"
        export(open_jsonl, file, header, events)
        assert read(file) == (header, events)


@pytest.mark.parametrize(
    ("line", "change", "message"),
    (
        (
            2,
            ('"arrived"', '"arived"'),
            (
                "3:18: 'arived' is no kind of event; expected submitted, arrived, held, accepted, "
                "sampled, visible, emitted, left, completed, consumed or dropped; did you mean "
                "'arrived'?"
            ),
        ),
        (2, ('"kind":"arrived",', ""), "3:1: 'kind' is missing; expected submitted, arrived,"),
        (2, ('"arrived"', "7"), "3:18: '7' is no kind of event; expected submitted,"),
        (2, (',"init":2', ""), "3:1: 'init' is missing; expected t_ps, kind, req, stage, init"),
        (
            2,
            ('"init":2', '"int":2'),
            "3:1: 'init' is missing; expected t_ps, kind, req, stage, init",
        ),
        (
            3,
            ('"behind":1', '"behind":1,"behindd":1'),
            (
                "4:79: unknown key 'behindd'; expected t_ps, kind, req, stage, init, behind; did "
                "you mean 'behind'?"
            ),
        ),
        (3, ('"behind":1', '"behind":"1"'), "4:67: \"1\" does not fit 'behind'; expected a whole"),
        (3, ('"behind":1', '"behind":true'), "4:67: true does not fit 'behind'; expected a whole"),
        (3, ('"behind":1', '"behind":1.0'), "4:67: 1.0 does not fit 'behind'; expected a whole"),
        (
            1,
            ('"fence":true', '"fence":1'),
            "2:139: 1 does not fit 'fence'; expected true or false",
        ),
        (6, ('"service":2', '"service":"2"'), "7:80: '2' is no time; expected whole picoseconds"),
        (2, ('"order"', '"odrer"'), "3:44: the header has no stage 'odrer'; expected issue, order"),
        (
            5,
            ('"t_ps":9', '"t_ps":6'),
            "6:9: 6 ps is before the event above, at 7 ps; expected events in the order of time",
        ),
        (1, ('"t_ps":0', '"t_ps":-1'), "2:9: -1 ps is negative; expected zero or more"),
        (2, ('"req":3', '"req":3,"req":4'), "3:34: 'req' is given twice; expected it once"),
        (2, ("}", ""), "3:60: this is no JSON: Expecting ',' delimiter; expected an object on"),
        (2, ("{", "[{"), "3:62: this is no JSON: Expecting ',' delimiter; expected an object on"),
        (2, ('"init":2', '"init":' + "9" * 5000), "3:1: this is too large; expected a small"),
    ),
)
def test_what_is_wrong_is_told(
    tmp_path: Path, line: int, change: tuple[str, str], message: str
) -> None:
    file = tmp_path / "t.jsonl"
    lines = export(open_jsonl, file, HEADER, EVENTS).splitlines(keepends=True)
    before, after = change
    assert before in lines[line]
    lines[line] = lines[line].replace(before, after, 1)
    file.write_text("".join(lines), "utf-8")
    with pytest.raises(TraceError) as error:
        read(file)
    assert str(error.value).startswith(f"{file}:{message}")


def test_a_list_is_no_event(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text(export(open_jsonl, file, HEADER, []).splitlines()[0] + "\n[1]\n", "utf-8")
    with pytest.raises(TraceError, match="2:1: this is no object; expected one on each line"):
        read(file)


def test_a_cut_last_line(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    text = export(open_jsonl, file, HEADER, EVENTS)
    file.write_text(text[:-5], "utf-8")
    with Recording(file) as recording:
        events = iter(recording)
        assert [next(events) for _ in EVENTS] == EVENTS
        with pytest.raises(TraceError, match="10:10: the last line is cut off; expected a line"):
            next(events)
        assert recording.end_ps is None


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    head = export(open_jsonl, file, HEADER, []).splitlines()[0].encode()
    file.write_bytes(head + b'\n{"t_ps":\xff}\n')
    with pytest.raises(TraceError, match="2:9: byte 0xff is not UTF-8; expected a file in UTF-8"):
        read(file)


@pytest.mark.parametrize(
    ("change", "message"),
    (
        (("rdma-path-emu trace", "x"), '1:11: this is no trace; expected "format": "rdma-path-emu'),
        (('"schema":2', '"schema":9'), "1:42: schema 9 is not known; expected 2, as this version"),
        (('"seed":7,', ""), "1:1: 'seed' is missing; expected format, schema, version, table,"),
        (('"seed":7', '"seed":"7"'), "\"7\" does not fit 'seed'; expected a whole number"),
        (('"500000/161"', '"3.1"'), "period of a clock; expected picoseconds as in '500000/161'"),
        (('"phase_ps":0,', ""), "'phase_ps' is missing in clocks[0]; expected name, period_ps,"),
        (('"name":"order"', '"name":"issue"'), "'issue' in stages is no name, or is there twice"),
        (('"name":"order"', '"name":"a b"'), "'a b' in stages is no name, or is there twice"),
        (('"stages":[', '"stages":[1,'), "stages[0] is no object; expected one"),
        (('"filters":[', '"filters":[1'), "filters[0] is no object; expected one"),
        (
            ('"filters":[', '"filters":[{"form_ps":1}'),
            (
                "unknown key 'form_ps' in filters[0]; expected from_ps, to_ps, request, initiator "
                "or stage; did you mean 'from_ps'?"
            ),
        ),
        (
            ('"filters":[', '"filters":[{"to_ps":"1"}'),
            "\"1\" does not fit 'to_ps' in filters[0]; expected a whole number",
        ),
        (
            ('"filters":[', '"filters":[{"stage":[1]}'),
            "'stage' in filters[0] has something else in it; expected text and nothing else",
        ),
        (
            ('"filters":[', '"filters":[{"request":["9..3"]}'),
            "filters[0]: --request 9..3: the range is empty; expected its smaller end first",
        ),
    ),
)
def test_what_is_wrong_with_a_header(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    file = tmp_path / "t.jsonl"
    text = export(open_jsonl, file, HEADER, EVENTS)
    assert change[0] in text
    file.write_text(text.replace(*change, 1), "utf-8")
    with pytest.raises(TraceError) as error:
        read(file)
    assert str(error.value).startswith(f"{file}:1:")
    assert message in str(error.value)


def end_of(file: Path) -> int | None:
    """When a record says that its trace ends, of which all is read."""
    with Recording(file) as recording:
        assert list(recording) == EVENTS
        return recording.end_ps


def test_the_end_is_its_own_line(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    exporter = open_jsonl(file, HEADER)
    for event in EVENTS:
        exporter.tell(event)
    exporter.close(700)
    assert file.read_text("utf-8").endswith('"init":2}\n{"end_ps":700}\n')
    assert end_of(file) == 700
    # A process that was killed has not written it.
    file.write_text("".join(file.read_text("utf-8").splitlines(keepends=True)[:-1]), "utf-8")
    assert end_of(file) is None


@pytest.mark.parametrize(
    ("end", "message"),
    (
        ('{"end_ps":11}', "10:11: 11 ps is before the event above, at 12 ps; expected the end of"),
        ('{"end_ps":"12"}', "10:11: \"12\" does not fit 'end_ps'; expected a whole number"),
        ('{"end_ps":12,"t_ps":1}', "10:21: unknown key 't_ps'; expected end_ps"),
        (
            '{"end_ps":12}\n{"end_ps":12}',
            "11:1: there is a line after the end of the trace; expected 'end_ps' on the last line",
        ),
    ),
)
def test_what_is_wrong_with_an_end(tmp_path: Path, end: str, message: str) -> None:
    file = tmp_path / "t.jsonl"
    text = export(open_jsonl, file, HEADER, EVENTS)
    file.write_text(text.replace('{"end_ps":12}', end), "utf-8")
    with pytest.raises(TraceError) as error:
        read(file)
    assert str(error.value).startswith(f"{file}:{message}")


def test_files_that_are_no_traces(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    with pytest.raises(TraceError, match=r"empty.jsonl:1:1: the file is empty; expected the head"):
        Recording(empty)
    with pytest.raises(TraceError, match=r"none.jsonl: cannot be read: No such file"):
        Recording(tmp_path / "none.jsonl")
    with pytest.raises(TraceError, match=r"cannot be read: Is a directory"):
        Recording(tmp_path)
    other = tmp_path / "other.jsonl"
    other.write_text('{"time_ns":0,"operation":"read"}\n', "utf-8")
    with pytest.raises(TraceError, match=r"other.jsonl:1:1: this is no trace; expected"):
        Recording(other)
