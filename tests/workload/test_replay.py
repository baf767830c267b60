from pathlib import Path

import pytest

from emu.errors import EmuError
from emu.request import Operation
from emu.workload.access import Access
from emu.workload.replay import Replay, read_replay

READ, WRITE = Operation.READ, Operation.WRITE
COLUMNS = (
    "time, time_ns, gap, gap_ns, operation, bytes, address, initiator, destination, order, "
    "service, fence, value or compare"
)


def written(tmp_path: Path, name: str, text: str) -> Path:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return file


def problems(tmp_path: Path, name: str, text: str) -> list[str]:
    """What is wrong, each without the name of the file."""
    file = written(tmp_path, name, text)
    with pytest.raises(EmuError) as error:
        read_replay(file)
    lines = str(error.value).splitlines()
    assert all(line.startswith(f"{file}:") for line in lines)
    return [line.removeprefix(f"{file}:") for line in lines]


def test_comma_separated_values(tmp_path: Path) -> None:
    text = (
        "time_ns,operation,bytes,address,initiator,destination,order,service,fence\n"
        "0,read,64,0x100,3,4,SO,ROT,1\n"
        "\n"
        '10.5, write ,"4KiB",,1,,,,\n'
        "10.5,read,64 B,,,,NO,,false\n"
    )
    assert read_replay(written(tmp_path, "a.csv", text)).posts == [
        (0, Access(READ, 64, 256, 3, 4, "SO", "ROT", True)),
        (10_500, Access(WRITE, 4096, 320, 1)),
        (10_500, Access(READ, 64, 320 + 4096, order="NO")),
    ]


def test_json_lines(tmp_path: Path) -> None:
    text = (
        '{"time": "1.5 us", "operation": "atomic", "bytes": 8, "address": 64}\n'
        "\n"
        '{"gap": "1 ns", "operation": "read", "bytes": "64 B", "order": "RO", "fence": true}\n'
        '{"gap_ns": 0.25, "operation": "read", "bytes": 64, "service": "UNO", "destination": 2}\n'
        '{"time_ns": 1502, "operation": "send", "bytes": 64, "initiator": 9}\n'
    )
    assert read_replay(written(tmp_path, "a.jsonl", text)).posts == [
        (1_500_000, Access(Operation.FETCH_AND_ADD, 8, 64)),
        (1_501_000, Access(READ, 64, 72, order="RO", fence=True)),
        (1_501_250, Access(READ, 64, 136, destination=2, service="UNO")),
        (1_502_000, Access(Operation.SEND, 64, 200, initiator=9)),
    ]


def test_values_and_what_is_compared_with(tmp_path: Path) -> None:
    text = (
        "time_ns,operation,bytes,address,value,compare\n"
        "0,write,8,0,18446744073709551615,\n"
        "0,send,8,8,0x1f,\n"
        "0,store,8,16,,\n"
        "0,fetch_and_add,8,0,2,\n"
        "0,compare_and_swap,8,0,3,0xffffffffffffffff\n"
        "0,read,8,0,,\n"
    )
    expected = [
        (0, Access(WRITE, 8, 0, operand=2**64 - 1)),
        (0, Access(Operation.SEND, 8, 8, operand=31)),
        (0, Access(Operation.STORE, 8, 16)),
        (0, Access(Operation.FETCH_AND_ADD, 8, 0, operand=2)),
        (0, Access(Operation.COMPARE_AND_SWAP, 8, 0, operand=3, compare=2**64 - 1)),
        (0, Access(READ, 8, 0)),
    ]
    assert read_replay(written(tmp_path, "a.csv", text)) == Replay(expected, brings_values=True)
    lines = [
        '{"time_ns": 0, "operation": "write", "bytes": 8, "address": 0, "value": 5}',
        '{"time_ns": 0, "operation": "atomic", "bytes": 8, "address": 0, "value": "0x10"}',
        '{"time_ns": 0, "operation": "compare_and_swap", "bytes": 8, "address": 0, "compare": 21}',
    ]
    assert read_replay(written(tmp_path, "a.jsonl", "\n".join(lines))).posts == [
        (0, Access(WRITE, 8, 0, operand=5)),
        (0, Access(Operation.FETCH_AND_ADD, 8, 0, operand=16)),
        (0, Access(Operation.COMPARE_AND_SWAP, 8, 0, compare=21)),
    ]


@pytest.mark.parametrize(
    ("row", "expected"),
    (
        ("0,write,8,,", False),
        ("0,write,8,0,", True),
        ("0,compare_and_swap,8,,0", True),
    ),
)
def test_a_value_of_0_is_a_value_too(tmp_path: Path, row: str, expected: bool) -> None:
    text = f"time_ns,operation,bytes,value,compare\n0,read,8,,\n{row}\n"
    assert read_replay(written(tmp_path, "a.csv", text)).brings_values is expected


def test_values_that_do_not_fit(tmp_path: Path) -> None:
    text = (
        "time_ns,operation,bytes,value,compare\n"
        "0,read,8,5,\n"
        "0,load,8,,5\n"
        "0,write,8, 18446744073709551616,\n"
        "0,fetch_and_add,8,1,1\n"
        "0,compare_and_swap,8,-1,99999999999999999999999\n"
        "0,raed,8,5,5\n"
    )
    word = "expected a whole number from 0 to 18446744073709551615"
    bringing = "expected it left out, or write, send, fetch_and_add, compare_and_swap or store"
    assert problems(tmp_path, "a.csv", text)[:-1] == [
        f"2:10: value: a read brings none; {bringing}",
        "3:11: compare: a load compares with none; expected it left out, or compare_and_swap",
        f"4:12: value: '18446744073709551616' does not fit; {word}",
        (
            "5:21: compare: a fetch_and_add compares with none; expected it left out, or "
            "compare_and_swap"
        ),
        f"6:22: value: '-1' does not fit; {word}",
        f"6:25: compare: '99999999999999999999999' does not fit; {word}",
    ]
    text = (
        '{"time_ns": 0, "operation": "read", "bytes": 8, "value": 5}\n'
        '{"time_ns": 0, "operation": "write", "bytes": 8, "value": 18446744073709551616}\n'
        '{"time_ns": 0, "operation": "write", "bytes": 8, "value": true}\n'
        '{"time_ns": 0, "operation": "write", "bytes": 8, "value": 1.5}\n'
    )
    assert problems(tmp_path, "a.jsonl", text) == [
        f"1:58: value: a read brings none; {bringing}",
        f"2:59: value: '18446744073709551616' does not fit; {word}",
        f"3:59: value: 'True' does not fit; {word}",
        f"4:59: value: '1.5' does not fit; {word}",
    ]


def test_all_that_is_wrong_with_comma_separated_values(tmp_path: Path) -> None:
    text = (
        "time_ns,operation,bytes,address,initiator,order,fence\n"
        "0,raed,64,0x100,0,SO,1\n"
        "5,read,64 Q,0x1z00,0,XO,maybe\n"
        "4,read,64,0,-1,,\n"
        "3.00001,read,64,0\n"
        "5.0001,read,64,0,1,,\n"
        "soon,read,64,0,1,,\n"
        "8,read,64,0,1,,\n"
        "7,read,64,0,1,,\n"
        ",,,0,1,,\n"
    )
    assert problems(tmp_path, "a.csv", text) == [
        (
            "2:3: operation: 'raed' is no operation; expected read, write, send, fetch_and_add, "
            "compare_and_swap, load, store or atomic; did you mean 'read'?"
        ),
        (
            "3:8: bytes: '64 Q' has the unknown unit 'Q'; expected one of B, KiB, MiB, GiB, KB, "
            "kB, MB or GB"
        ),
        "3:13: address: '0x1z00' does not fit; expected a whole number from 0 on",
        "3:22: order: 'XO' is not known; expected NO, RO or SO",
        "3:25: fence: 'maybe' does not fit; expected true or false",
        "4:13: initiator: '-1' does not fit; expected a whole number from 0 on",
        "5:1: 4 cells under 7 columns; expected one under each",
        "6:1: time_ns: '5.0001' is no whole number of picoseconds; expected steps of 0.001",
        "7:1: time_ns: 'soon' is no time; expected nanoseconds, zero or more",
        "9:1: time_ns: '7' is before the time of the row above; expected rows in the order of time",
        "10:1: 'operation' is missing; expected a value for 'operation'",
        "10:1: 'bytes' is missing; expected a value for 'bytes'",
        "10:1: no time is given; expected one of time, time_ns, gap or gap_ns",
    ]


def test_all_that_is_wrong_with_json_lines(tmp_path: Path) -> None:
    text = (
        '{"gap": "1 ns", "operation": "read", "bytes": 64, "bytes": 3}\n'
        '{"gap": "1 ns", "gap_ns": 1.5, "operation": null, "bytes": 64}\n'
        '{"gap_ns": 1.5, "operation": "read", "bytes": 64\n'
        "[1]\n"
        '{"gap_ns": 1.5, "operation": "read", "bytes": 64, "fnce": 1}\n'
        '{"gap_ns": 1.5, "operation": ["read"], "bytes": true}\n'
    )
    found = problems(tmp_path, "a.jsonl", text)
    assert found[:6] == [
        "1:47: 'bytes' is given twice; expected it once",
        "2:1: gap and gap_ns are all given; expected one of time, time_ns, gap or gap_ns",
        "2:45: operation: there is no value; expected a value, or the key left out",
        "3:49: this is no JSON: Expecting ',' delimiter; expected an object",
        "4:1: this is no object; expected one on each line",
        f"5:59: unknown column 'fnce'; expected {COLUMNS}; did you mean 'fence'?",
    ]
    assert [one.partition(": ")[0] for one in found[6:]] == ["6:30", "6:49"]


def test_a_heading_that_does_not_fit(tmp_path: Path) -> None:
    assert problems(tmp_path, "a.csv", "time_ns,adress,time_ns,bytes\n1,2,3,4\n") == [
        "1:1: the heading has no column 'operation'; expected operation and bytes, and a time",
        f"1:9: unknown column 'adress'; expected {COLUMNS}; did you mean 'address'?",
        "1:16: column 'time_ns' is there twice; expected once",
    ]


@pytest.mark.parametrize("name", ("a.csv", "a.jsonl"))
def test_nothing_to_replay(tmp_path: Path, name: str) -> None:
    assert problems(tmp_path, name, "\n\n") == [
        "1:1: the file has no rows; expected at least one request"
    ]


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(EmuError) as error:
        read_replay(tmp_path / "none.csv")
    assert str(error.value) == (
        f"{tmp_path / 'none.csv'}: cannot be read: No such file or directory; expected a file of "
        "requests to replay"
    )
    (tmp_path / "a.csv").write_bytes(b"time\xff\n")
    with pytest.raises(EmuError) as error:
        read_replay(tmp_path / "a.csv")
    assert str(error.value) == f"{tmp_path / 'a.csv'}: this is not UTF-8; expected a file in UTF-8"


@pytest.mark.parametrize("name", ("\0.csv", f"{'x' * 5000}.csv"))
def test_a_name_that_no_file_can_have(name: str) -> None:
    with pytest.raises(EmuError, match="cannot be read: "):
        read_replay(Path(name))
