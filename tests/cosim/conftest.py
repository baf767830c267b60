"""What the tests beside HDL share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cosim.bound import Bench


@pytest.fixture(scope="session")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where DUTs are built, once for all tests and all their processes."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "builds"


@pytest.fixture
def bench(tmp_path: Path, builds: Path) -> Bench:
    """The pipeline beside a table with its numbers."""
    return Bench(tmp_path, builds)
