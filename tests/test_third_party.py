"""A stage that another distribution registers works in a table as ours do."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

PYPROJECT = """\
    [build-system]
    requires = ["hatchling"]
    build-backend = "hatchling.build"

    [project]
    name = "acme-retimer"
    version = "1.2.3"

    [project.entry-points."emu.stages"]
    retimer = "acme_retimer:Retimer"
    """

MODULE = '''\
    """A stage of somebody else's."""

    from typing import Annotated

    from pydantic import Field

    from emu.request import Request
    from emu.stage import Served, Stage, parameters
    from emu.table.fields import DurationField
    from emu.time import Cycles


    class Retimer(Stage):
        """Trains its lanes for the first request, and relocks for every other one."""

        @parameters
        class Parameters:
            """What a retimer has."""

            lanes: Annotated[int, Field(ge=1, le=16, strict=True, description="lanes to train")]
            training: Annotated[DurationField, Field(description="time to train one lane")]

        parameters: Parameters
        trained = False

        def serve(self, request: Request, now_ps: int) -> Served | None:
            if not self.trained:
                self.trained = True
                cycles = self.parameters.lanes * self.parameters.training.count
                return Served(parts=(("service", Cycles(cycles)),))
            if request.sequence % 2:
                return Served(parts=(("service", Cycles(3)),))
            return None
    '''

TABLE = """\
    schema: 1
    name: retimed
    title: A wire with a retimer in it
    clocks: {link: 500 MHz}
    defaults: {queue: unlimited, depth: unlimited}
    messages: {read: {request: 64 B, response: payload}}
    path:
      - stage: retimer
        clock: link
        latency: 4 cycles
        interval: 1 cycle
        lanes: 8
        training: 5 cycles
        source: &assumed {text: a test, kind: assumed}
      - {stage: memory, latency: 31 ns, source: *assumed}
    """

#: The cycle of 500 MHz is 2 ns: 4 of them, 8 lanes of 5, and the memory.
FIRST_PS = 8_000 + 80_000 + 31_000
#: The next one is submitted when the first is complete, 119 ns, and waits 1 ns for an edge.
SECOND_PS = 1_000 + 8_000 + 3 * 2_000 + 31_000
#: That is at 165 ns: again an odd number, and without relocking.
THIRD_PS = 1_000 + 8_000 + 31_000

Python = Callable[..., str]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed the other distribution."""
    project = tmp_path_factory.mktemp("project")
    (project / "pyproject.toml").write_text(dedent(PYPROJECT))
    (project / "acme_retimer.py").write_text(dedent(MODULE))
    folder = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    # Built with what is installed, so that no network is needed.
    pip += ["--no-index", "--no-deps", "--no-build-isolation", "--target", str(folder)]
    subprocess.run([*pip, str(project)], check=True)
    return folder


@pytest.fixture
def python(site: Path, tmp_path: Path) -> Python:
    """Runs Python where the other distribution is installed, beside the table."""
    (tmp_path / "retimed.yaml").write_text(dedent(TABLE))

    def run(*arguments: str, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(site)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    return run


def test_from_a_program_its_time_is_exact(python: Python) -> None:
    script = """\
        from emu.path import build
        from emu.request import Operation
        from emu.table import load

        report = build(load("retimed.yaml")).run(
            operation=Operation.READ, size_bytes=64, requests=3, outstanding=1
        )
        print(report.latency.sum, report.latency.largest, sum(report.parts.values()))
        """
    total_ps = FIRST_PS + SECOND_PS + THIRD_PS
    assert python("-c", dedent(script)).split() == [str(total_ps), str(FIRST_PS), str(total_ps)]


def test_from_the_command_line_its_parameters_can_be_set(python: Python) -> None:
    arguments = ["run", "retimed.yaml", "--requests", "1", "--set", "retimer.lanes=16", "--json"]
    report = json.loads(python("-m", "emu", *arguments))
    assert report["latency_ps"]["max"] == FIRST_PS + 8 * 10_000
    assert report["parts"] == {"service": FIRST_PS + 8 * 10_000}
    assert report["engine_prevented"] == (
        "stage retimer is none of the built-in stages (acme_retimer:Retimer)"
    )


def test_it_is_listed_with_its_parameters(python: Python) -> None:
    shown = python("-m", "emu", "stages", "retimer")
    assert "acme-retimer" in shown
    assert "lanes to train" in shown


def test_its_bounds_hold(python: Python, tmp_path: Path) -> None:
    table = tmp_path / "retimed.yaml"
    table.write_text(table.read_text().replace("lanes: 8", "lanes: 17"))
    shown = python("-m", "emu", "tables", "check", "retimed.yaml", code=2)
    assert shown.startswith("retimed.yaml:12:12: ")
    assert "lanes" in shown


def test_without_the_distribution_the_stage_is_unknown(python: Python, tmp_path: Path) -> None:
    arguments = [sys.executable, "-m", "emu", "tables", "check", str(tmp_path / "retimed.yaml")]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "retimer" in done.stderr
    assert "expected" in done.stderr
