"""Verilog of LitePCIe's TLP controller, unchanged, with a port for each signal of its streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

TOP = "litepcie_controller"
#: A stream of the controller, and what its signals are called here.
DATA_BITS, ADDRESS_BITS = 64, 32


def write_verilog(file: Path, tags: int) -> None:
    """Writes the controller with so many tags, a power of two."""
    # Imported first, as LitePCIe's packages import one another in a circle.
    import litepcie.core  # type: ignore[import-untyped]  # noqa: F401
    from litepcie.tlp.controller import (  # type: ignore[import-untyped]
        LitePCIeTLPController,
    )
    from migen import ClockDomain, Module  # type: ignore[import-untyped]
    from migen.fhdl.verilog import convert  # type: ignore[import-untyped]

    controller = LitePCIeTLPController(DATA_BITS, ADDRESS_BITS, tags)
    ports = set()
    for stream, name in (
        (controller.master_in.sink, "req"),
        (controller.master_in.source, "cmp"),
        (controller.master_out.sink, "hreq"),
        (controller.master_out.source, "hcmp"),
    ):
        ports |= _named(stream, name)
    top: Any = Module()
    top.clock_domains.cd_sys = ClockDomain("sys")
    top.submodules.controller = controller
    ports |= {top.cd_sys.clk, top.cd_sys.rst}
    file.write_text(str(convert(top, ports, name=TOP)), encoding="utf-8")


def _named(stream: Any, name: str) -> set[Any]:
    """All signals of a stream, each called after it and the signal."""
    signals = {}
    for signal in ("valid", "ready", "first", "last"):
        signals[signal] = getattr(stream, signal)
    for record in (stream.payload, stream.param):
        for field, *_ in record.layout:
            signals[field] = getattr(record, field)
    for field, signal in signals.items():
        signal.name_override = f"{name}_{field}"
    return set(signals.values())
