"""`emu state`: bytes by organisation, and what fits."""

import json
from typing import Any

import pytest
from typer import Typer
from typer.testing import CliRunner

from emu.cli import state
from emu.errors import EmuError

APP = Typer()
state.register(APP)
PAIRS = ("--applications", "1024", "--peers", "1024")
TRANSPORTS = ("--endpoints", "64", "--destinations", "128")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(APP, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def as_json(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json"))


def test_pairs_and_their_ratio() -> None:
    found = as_json(*PAIRS)
    assert found["organisations"]["per_pair"]["bytes"] == 536_903_680
    assert found["organisations"]["ub"]["bytes"] == 110_592
    assert round(found["ratios"]["per_pair_to_ub"]) == 4855
    assert "memory" not in found


def test_transports_and_groups() -> None:
    found = as_json(*TRANSPORTS, "--groups", "4", "--memory", "2MiB")
    taken = {name: one["bytes"] for name, one in found["organisations"].items()}
    assert taken == {"private": 8_929_280, "shared": 671_744, "groups": 540_672 + 4 * 131_072}
    assert found["memory"]["most"]["groups"] == 11


def test_what_fits_into_a_memory() -> None:
    memory = as_json("--memory", "1MiB")["memory"]
    assert memory["most"] == {"per_pair": 45, "ub": 9709}
    assert memory["overflows_at"] == {"per_pair": 46, "ub": 9710}
    assert as_json("--memory", "1048576")["memory"] == memory


def test_there_are_no_more_groups_than_endpoints() -> None:
    memory = as_json(*TRANSPORTS, "--memory", "1GiB")["memory"]
    assert memory["most"]["groups"] == 64
    assert memory["overflows_at"]["groups"] is None
    (row,) = [
        line for line in run(*TRANSPORTS, "--memory", "1GiB").splitlines() if "  groups " in line
    ]
    assert row.split()[-2:] == ["64", "never"]


def test_sizes_are_read_as_everywhere() -> None:
    assert as_json("--memory", "1024K")["memory"]["bytes"] == 2**20
    text = as_json("--memory", "1M", "--record", "jetty=1K")
    assert text["record_bytes"]["jetty"] == 1024


def test_another_size_of_a_record() -> None:
    found = as_json("--applications", "1", "--peers", "1", "--record", "jetty=48B")
    assert found["organisations"]["ub"]["bytes"] == 48 + 32 + 56


def test_people_see_words() -> None:
    text = run(*PAIRS, *TRANSPORTS, "--groups", "2", "--memory", "1MiB")
    assert "536,903,680" in text
    assert "a queue pair for each pair: 4855 times Jetties and transport channels" in text
    assert "in 1,048,576 B" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    (
        ((), "nothing to count; expected --applications and --peers"),
        (("--peers", "3"), "--peers without --applications; expected both"),
        (("--endpoints", "3"), "--endpoints without --destinations; expected both"),
        (("--groups", "3"), "--groups of what"),
        (
            (*TRANSPORTS, "--groups", "65"),
            "--groups 65 of 64 endpoints; expected at most one for each of them",
        ),
        (("--memory", "1 parsec"), "--memory 1 parsec: '1 parsec' has the unknown unit"),
        ((*PAIRS, "--record", "jety=3B"), "did you mean 'jetty'"),
        ((*PAIRS, "--record", "jetty"), "--record jetty: '' is not a quantity"),
    ),
)
def test_says_what_is_missing(arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(EmuError, match=said):
        run(*arguments)
