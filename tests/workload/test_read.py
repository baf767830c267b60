from fractions import Fraction
from pathlib import Path

import pytest

from emu.errors import EmuError
from emu.workload.read import read_workload
from emu.workload.schema import ChainSpec, OpenSpec, ReplaySpec

OPEN_OR_FILE = (
    "expected a mapping, as in '{kind: open, rate: 10 M/s}', or a .yaml, .csv or .jsonl file"
)
MAPPING = "expected closed, open, burst, chain or replay"


@pytest.mark.parametrize(
    ("text", "problems"),
    (
        (
            "open",
            [
                (
                    "'open' is no workload; expected a mapping, as in '{kind: open, rate: 10 "
                    "M/s}', or a .yaml, .csv or .jsonl file"
                ),
            ],
        ),
        (
            "",
            [
                (
                    "nothing is no workload; expected a mapping, as in '{kind: open, rate: 10 "
                    "M/s}', or a .yaml, .csv or .jsonl file"
                ),
            ],
        ),
        (
            "[1]",
            [
                (
                    "a list is no workload; expected a mapping, as in '{kind: open, rate: 10 "
                    "M/s}', or a .yaml, .csv or .jsonl file"
                ),
            ],
        ),
        (
            "{rate: 1 M/s}",
            [
                (
                    "workload: 'kind' is missing; expected 'kind: ' and one of closed, open, "
                    "burst, chain or replay"
                ),
            ],
        ),
        (
            "{kind: opne}",
            [
                (
                    "workload.kind: 'opne' is no kind of workload; expected closed, open, burst, "
                    "chain or replay; did you mean 'open'?"
                ),
            ],
        ),
        (
            "{kind: open}",
            [
                "workload: 'rate' is missing; expected for example 'rate: 10 M/s'",
            ],
        ),
        (
            "{kind: open, rate: 0 M/s}",
            [
                "workload.rate: '0 M/s' is no rate; expected more than zero, as in '10 M/s'",
            ],
        ),
        (
            "{kind: open, rate: 5}",
            [
                (
                    "workload.rate: '5' has no unit; expected one of /s, k/s, M/s or G/s, as in "
                    "'10 M/s'"
                ),
            ],
        ),
        (
            "{kind: burst, rate: 5 M/s}",
            [
                (
                    "workload: unknown key 'rate'; expected one of mix, initiators, "
                    "destinations, addresses or kind"
                ),
            ],
        ),
        (
            "{kind: closed, outstanding: 0}",
            [
                "workload.outstanding: 0 is out of bounds; expected at least 1",
            ],
        ),
        (
            "{kind: closed, outstanding: 2000000}",
            [
                "workload.outstanding: 2000000 is out of bounds; expected at most 1000000",
            ],
        ),
        (
            "{kind: closed, outstanding: 1, initiators: {count: 3, choose: uniform}}",
            [
                (
                    "workload: initiators chosen uniform, and each keeps its own requests open; "
                    "expected 'per: all' beside it"
                ),
            ],
        ),
        (
            "{kind: closed, outstanding: 1, initiators: 2000000}",
            [
                (
                    "workload: 2000000 initiators that each keep requests open; expected at most "
                    "1000000, or 'per: all'"
                ),
            ],
        ),
        (
            "{kind: burst, destinations: {count: 3, choose: zipf}}",
            [
                (
                    "workload.destinations: chosen zipf without an exponent; expected for "
                    "example '{count: 8, choose: zipf, exponent: 0.99}'"
                ),
            ],
        ),
        (
            "{kind: burst, destinations: {count: 3, exponent: 0.5}}",
            [
                (
                    "workload.destinations: chosen in_turn with an exponent; expected for "
                    "example '{count: 8, choose: zipf, exponent: 0.99}'"
                ),
            ],
        ),
        (
            "{kind: burst, addresses: {count: 100000000, choose: zipf, exponent: 1}}",
            [
                "workload.addresses: chosen zipf of 100000000; expected at most 10000000",
            ],
        ),
        (
            "{kind: burst, initiators: {count: 3, choose: by_round}}",
            [
                (
                    "workload.initiators.choose: 'by_round' is not known here; expected in_turn, "
                    "uniform or zipf"
                ),
            ],
        ),
        (
            "{kind: burst, destinations: {count: 3, choose: zipf, exponent: much}}",
            [
                (
                    "workload.destinations.exponent: 'much' is no exponent; expected a number "
                    "from 0 to 10, as in '0.99'"
                ),
            ],
        ),
        (
            "{kind: chain, chains: 5000, nodes: 5000}",
            [
                "workload: 5000 chains of 5000 records; expected at most 10000000 records in all",
            ],
        ),
        (
            "{kind: burst, mix: []}",
            [
                "workload.mix: is empty; expected a list",
            ],
        ),
        (
            "{kind: burst, mix: [{operation: raed, bytes: 64}]}",
            [
                (
                    "workload.mix[0].operation: 'raed' is no operation; expected read, write, "
                    "send, fetch_and_add, compare_and_swap, load, store or atomic; did you mean "
                    "'read'?"
                ),
                (
                    "workload.mix[0].bytes: '64' has no unit; expected one of B, KiB, MiB, GiB, "
                    "KB, kB, MB or GB, as in '64 B'"
                ),
            ],
        ),
        (
            "{kind: burst, mix: [{op: read, size: 64 B}]}",
            [
                (
                    "workload.mix[0]: 'operation' is missing; expected read, write, send, "
                    "fetch_and_add, compare_and_swap, load, store or atomic"
                ),
                "workload.mix[0]: 'bytes' is missing; expected for example 'bytes: 32 B'",
                (
                    "workload.mix[0]: unknown key 'op'; expected one of operation, bytes or "
                    "weight; did you mean 'operation'?"
                ),
                (
                    "workload.mix[0]: unknown key 'size'; expected one of operation, bytes or "
                    "weight; did you mean 'bytes'?"
                ),
            ],
        ),
        (
            "{kind: burst, initiators: }",
            [
                "workload.initiators: there is no value; expected a value, or the key left out",
            ],
        ),
    ),
)
def test_what_is_wrong_is_told(text: str, problems: list[str]) -> None:
    with pytest.raises(EmuError) as error:
        read_workload(text)
    assert str(error.value).splitlines() == [f"--workload {text}: {one}" for one in problems]


def test_a_file_is_told_by_line_and_column(tmp_path: Path) -> None:
    file = tmp_path / "load.yaml"
    file.write_text("kind: open\nrate: 10 Mps\narivals: poisson\n", encoding="utf-8")
    with pytest.raises(EmuError) as error:
        read_workload(str(file))
    assert str(error.value).splitlines() == [
        (
            f"{file}:2:7: workload.rate: '10 Mps' has the unknown unit 'Mps'; expected one of /s, "
            "k/s, M/s or G/s; did you mean 'M/s'?"
        ),
        (
            f"{file}:3:1: workload: unknown key 'arivals'; expected one of mix, initiators, "
            "destinations, addresses, kind, rate or arrivals; did you mean 'arrivals'?"
        ),
    ]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "load.yaml"
    with pytest.raises(EmuError) as error:
        read_workload(str(file))
    assert str(error.value) == f"{file}: there is no such file; {OPEN_OR_FILE}"


def test_texts_and_files_say_the_same(tmp_path: Path) -> None:
    file = tmp_path / "load.yaml"
    file.write_text("kind: open\nrate: 10 M/s\n", encoding="utf-8")
    spec, said = read_workload(str(file))
    assert said == {"kind": "open", "rate": "10 M/s"}
    assert isinstance(spec, OpenSpec)
    assert spec.rate == Fraction(10**7)
    assert spec.arrivals == "fixed"
    assert read_workload("{kind: open, rate: 10 M/s}") == (spec, said)


def test_what_is_left_out() -> None:
    spec, _ = read_workload("{kind: chain}")
    assert spec == ChainSpec(kind="chain", chains=1, nodes=1024, initiators=1)


def test_a_replay_by_its_file_alone() -> None:
    spec, said = read_workload("trace.csv")
    assert said == {"kind": "replay", "file": "trace.csv"}
    assert spec == ReplaySpec(kind="replay", file="trace.csv")


def test_a_replay_is_beside_the_file_that_names_it(tmp_path: Path) -> None:
    file = tmp_path / "load.yaml"
    file.write_text("kind: replay\nfile: trace.csv\n", encoding="utf-8")
    spec, said = read_workload(str(file))
    assert spec == ReplaySpec(kind="replay", file=str(tmp_path / "trace.csv"))
    assert said == {"kind": "replay", "file": "trace.csv"}


@pytest.mark.parametrize("name", ("\0.yaml", f"{'x' * 5000}.yaml"))
def test_a_name_that_no_file_can_have(name: str) -> None:
    with pytest.raises(EmuError, match="there is no such file; expected a mapping"):
        read_workload(name)
