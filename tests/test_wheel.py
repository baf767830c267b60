import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_wheel_carries_tables_published_figures_and_litmus_tests(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "wheel"]
    pip += ["--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path)]
    subprocess.run([*pip, str(ROOT)], check=True)

    (wheel,) = tmp_path.glob("rdma_path_emu-*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        file.relative_to(ROOT).as_posix()
        for package in ("emu", "stages", "timing_tables", "testbenches/litmus")
        for file in (ROOT / package).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    known = {"timing_tables/pcie_nic.yaml", "emu/py.typed", "testbenches/litmus/stale_read.yaml"}
    assert known <= wanted
    assert {name for name in packed if ".dist-info/" not in name} == wanted
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in packed)
