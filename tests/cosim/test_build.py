"""Builds: made once for the same files, and again when one of them has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.cosim.build import built
from emu.cosim.errors import CosimError
from emu.cosim.plan import Simulation
from emu.cosim.simulators import find_simulator
from tests.cosim.bound import simulators

icarus = pytest.mark.parametrize("simulator", simulators("icarus"))

#: Finds a value in an included file, and with Verilator a module in a file that is not listed.
TOP = """\
`include "NAME"
module top #(parameter int LAT = `VALUE) (input logic clk, output logic [7:0] value);
  assign value = LAT;
endmodule
"""


def plan(folder: Path, simulator: str, **parameters: int | str) -> Simulation:
    """A build of `top.sv` in a folder."""
    return Simulation(
        module="",
        binding="",
        sources=[str(folder / "top.sv")],
        top="top",
        simulator=simulator,
        parameters=parameters,
        here=str(folder),
        builds=str(folder / "builds"),
        folder=str(folder),
        waves=False,
    )


def write(folder: Path, name: str, value: int) -> None:
    """The included file."""
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"`define VALUE {value}\n", encoding="utf-8")


def value_of(build: Path) -> int:
    """What Icarus has made of the parameter."""
    lines = (build / "sim.vvp").read_text(encoding="utf-8").splitlines()
    (line,) = (line for line in lines if '.param/l "LAT"' in line)
    return int(line.split("<")[1].split(">")[0], 2)


@icarus
@pytest.mark.parametrize("name", ("par.inc", "sub/par.svh"))
def test_an_included_file_that_changes_is_built_again(
    tmp_path: Path, simulator: str, name: str
) -> None:
    (tmp_path / "top.sv").write_text(TOP.replace("NAME", name), encoding="utf-8")
    write(tmp_path, name, 5)
    build = built(plan(tmp_path, simulator))
    assert value_of(build) == 5
    made_ns = (build / "sim.vvp").stat().st_mtime_ns
    assert built(plan(tmp_path, simulator)) == build
    assert (build / "sim.vvp").stat().st_mtime_ns == made_ns
    write(tmp_path, name, 6)
    assert value_of(built(plan(tmp_path, simulator))) == 6
    # One that cannot be built leaves nothing that counts as the one before.
    (tmp_path / name).write_text("`define VALUE (\n", encoding="utf-8")
    with pytest.raises(CosimError, match="icarus does not build"):
        built(plan(tmp_path, simulator))
    write(tmp_path, name, 7)
    assert value_of(built(plan(tmp_path, simulator))) == 7


@pytest.mark.long
@pytest.mark.parametrize("simulator", simulators("verilator"))
def test_a_module_that_the_compiler_finds_itself_is_built_again(
    tmp_path: Path, simulator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, setting in find_simulator(simulator).environment().items():
        monkeypatch.setenv(name, setting)
    (tmp_path / "top.sv").write_text(
        "module top(input logic clk, output logic [7:0] q); source u(.q); endmodule\n",
        encoding="utf-8",
    )
    source = tmp_path / "source.sv"
    found = []
    for value in (5, 5, 6):
        text = f"module source(output logic [7:0] q); assign q = 8'd{value}; endmodule\n"
        if not source.exists() or source.read_text(encoding="utf-8") != text:
            source.write_text(text, encoding="utf-8")
        build = built(plan(tmp_path, simulator))
        found.append((build / "made_from.json").stat().st_mtime_ns)
    assert found[0] == found[1] < found[2]


@icarus
@pytest.mark.parametrize("value", ("abc", "5abc", "a+b", "4'bx"))
def test_a_value_that_icarus_would_drop_is_told(tmp_path: Path, simulator: str, value: str) -> None:
    (tmp_path / "top.sv").write_text(TOP.replace("NAME", "par.inc"), encoding="utf-8")
    write(tmp_path, "par.inc", 5)
    for _ in range(2):  # the second time there is a build folder
        with pytest.raises(CosimError) as error:
            built(plan(tmp_path, simulator, LAT=value))
        assert str(error.value) == (
            f"parameter 'LAT': icarus cannot read the value '{value}'; expected a number such as "
            "5 or 8'h5, or text in double quotes"
        )
    assert value_of(built(plan(tmp_path, simulator, LAT="8'h7"))) == 7


@icarus
def test_an_empty_value_is_told(tmp_path: Path, simulator: str) -> None:
    (tmp_path / "top.sv").write_text(TOP.replace("NAME", "par.inc"), encoding="utf-8")
    with pytest.raises(CosimError, match="parameter 'LAT' has no value; expected a number"):
        built(plan(tmp_path, simulator, LAT=""))
