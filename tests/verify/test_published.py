"""What the project ships holds; and what is wrong with a file of figures is told."""

import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from emu.errors import EmuError
from emu.verify import Check, Verification, verify_published
from emu.verify.published import published_directory

COUNTS = {
    "four_placements": (17, 0),
    "openurma_sender": (2, 0),
    "ub_tx_cycle_scenarios.jsonl": (82, 0),
    "openurma_two_node": (4, 0),
    "twonode_sweep.csv": (376, 12),
    "twonode_sweep, 64 outstanding": (4, 0),
    "twonode_sram_spill.csv": (72, 0),
    "twonode_m2n.csv": (22, 0),
    "twonode_cas_contention.csv": (36, 0),
    "twonode_mixed_order.csv": (28, 0),
    "twonode_rol_compare.csv": (20, 0),
    "twonode_tp_sharing.csv": (33, 0),
}


@pytest.fixture(scope="module")
def found() -> list[Verification]:
    return verify_published()


def test_every_shipped_figure_and_row_holds(found: list[Verification]) -> None:
    assert {one.title: (len(one.checks), len(one.not_comparable)) for one in found} == COUNTS
    assert [check for one in found for check in one.failures] == []
    assert all(check.source for one in found for check in one.checks)


def test_rows_with_more_than_one_request_open_are_not_comparable(found: list[Verification]) -> None:
    (sweep,) = [one for one in found if one.title == "twonode_sweep.csv"]
    assert {row.reason for row in sweep.not_comparable} == {
        (
            "more than one request open (conc): that simulator serves one request at a time, so "
            "its rate never rises; a pipelined path must beat it"
        )
    }


def test_pipelined_each_stack_beats_the_rate_of_one_at_a_time(found: list[Verification]) -> None:
    (beaten,) = [one for one in found if "outstanding" in one.title]
    assert {check.name.split()[2] for check in beaten.checks} == {
        "ub_loadstore",
        "ub_urma",
        "roce_dma",
        "roce_bf",
    }
    assert all(check.got > 40 * check.expected for check in beaten.checks)


def test_what_is_to_be_beaten_does_not_hold_when_it_is_equal() -> None:
    one = Fraction(1)
    check = Check("a rate", "a test", one, one, Fraction(0), "M/s", is_beaten=True)
    assert not check.ok
    assert replace(check, got=Fraction(3)).ok
    assert not replace(check, got=Fraction(1, 2)).ok


def with_figures(directory: Path, old: str, new: str) -> Path:
    """The figures of the four placements, with one text changed."""
    text = (published_directory() / "four_placements.yaml").read_text()
    assert old in text
    (directory / "figures.yaml").write_text(text.replace(old, new, 1))
    return directory


def test_a_figure_that_is_off_fails(tmp_path: Path) -> None:
    (one,) = verify_published(with_figures(tmp_path, "2221.8 ns", "2221.7 ns"))
    (failure,) = one.failures
    assert failure.name == "pcie_nic read 64 B, derived"
    assert failure.expected == 2_221_700
    assert failure.got == 2_221_800
    assert failure.difference == 100
    assert failure.tolerance == 50


def test_the_tolerance_itself_still_holds(tmp_path: Path) -> None:
    (one,) = verify_published(with_figures(tmp_path, "2221.8 ns", "2221.85 ns"))
    assert one.failures == ()


@pytest.mark.parametrize(
    ("old", "new", "error"),
    (
        (
            "operation: read",
            "operation: raed",
            (
                "12:34: figures[0].operation: 'raed' is no operation; expected read, write, send, "
                "fetch_and_add, compare_and_swap, load, store or atomic; did you mean 'read'?"
            ),
        ),
        (
            "expected: 2221.8 ns",
            "expected: 2221.8",
            (
                "12:50: figures[0].expected: '2221.8' has no unit; expected one of ps, ns, us, µs, "
                "ms or s, as in '150 ns'"
            ),
        ),
        (
            "result: derived",
            "result: simulated",
            (
                "8:9: result: 'simulated' is not known here; expected derived or emulated; "
                "did you mean 'emulated'?"
            ),
        ),
        (
            "tolerance:",
            "tolerence:",
            (
                "9:1: table: unknown key 'tolerence'; expected one of schema, source, bytes, "
                "result, tolerance, figures, rows or cycles; did you mean 'tolerance'?"
            ),
        ),
    ),
)
def test_a_broken_file_is_told_with_its_place(
    tmp_path: Path, old: str, new: str, error: str
) -> None:
    with pytest.raises(EmuError) as caught:
        verify_published(with_figures(tmp_path, old, new))
    assert f"{tmp_path / 'figures.yaml'}:{error}" in str(caught.value).splitlines()


def test_a_figure_of_an_unknown_table_is_told(tmp_path: Path) -> None:
    with pytest.raises(EmuError, match="pcie_nik"):
        verify_published(with_figures(tmp_path, "table: pcie_nic", "table: pcie_nik"))


def test_rows_that_are_not_there_are_told(tmp_path: Path) -> None:
    shutil.copy(published_directory() / "openurma_two_node.yaml", tmp_path)
    with pytest.raises(EmuError) as caught:
        verify_published(tmp_path)
    missing = tmp_path / "openurma" / "twonode_sweep.csv"
    assert str(caught.value) == (
        f"{missing}: cannot be read: No such file or directory; expected a CSV file"
    )
