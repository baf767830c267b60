"""What the tests of HDL models share."""

from __future__ import annotations

from tests.cosim.conftest import builds

__all__ = ["builds"]
