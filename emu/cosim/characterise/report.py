"""Report: what was found of a DUT, the table that follows, and how that did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from emu.cosim.characterise.findings import Findings, findings_from_json


@dataclass(frozen=True)
class Checked:
    """One random run: whether DUT and emulator had the same handshakes in every cycle."""

    seed: int
    offer: str
    ready: str
    requests: int
    #: What the memory took, if there is one.
    memory_cycles: int | None
    cycles: int
    is_equal: bool
    #: The first cycle in which they differ, in words; empty where there is none.
    difference: str
    #: How far the same handshake of both is apart at most.
    most_cycles_apart: int

    def as_json(self) -> dict[str, Any]:
        """The run as JSON values."""
        return asdict(self)

    def line(self) -> str:
        """The run for people."""
        how = f"offered {self.offer}, ready {self.ready}"
        if self.memory_cycles is not None:
            how += f", memory {self.memory_cycles} cycles"
        if self.is_equal:
            return f"seed {self.seed}: equal in all {self.cycles} cycles ({how})"
        return (
            f"seed {self.seed}: {self.difference}; at most {self.most_cycles_apart} cycles apart "
            f"({how})"
        )


@dataclass(frozen=True)
class Rate:
    """How fast DUT and emulator are without pauses: cycles for a number of requests."""

    memory_cycles: int | None
    #: Of each answer.
    beats: int
    requests: int
    dut_cycles: int
    emulator_cycles: int

    @property
    def error_percent(self) -> float:
        """By how much the emulator's rate is off the DUT's."""
        return 100 * (self.dut_cycles / self.emulator_cycles - 1)

    def as_json(self) -> dict[str, Any]:
        """The rates as JSON values."""
        return {**asdict(self), "error_percent": round(self.error_percent, 3)}

    def line(self) -> str:
        """The rates for people."""
        dut = self.dut_cycles / self.requests
        emulator = self.emulator_cycles / self.requests
        beats = "" if self.beats == 1 else f", answers of {self.beats} beats"
        memory = (
            "" if self.memory_cycles is None else f"memory {self.memory_cycles} cycles{beats}: "
        )
        return (
            f"{memory}a request every {dut:.3f} cycles, in the "
            f"emulator every {emulator:.3f}, rate {self.error_percent:+.2f} %"
        )


@dataclass(frozen=True)
class Characterised:
    """What was found of a DUT, the table that follows from it, and how that did in random runs."""

    findings: Findings
    #: The table in YAML.
    table: str
    checked: Sequence[Checked]
    #: Of an engine, with memories of several latencies.
    rates: Sequence[Rate]
    #: Cycles that were simulated.
    cycles: int

    @property
    def is_exact(self) -> bool:
        """Whether the table had the DUT's handshakes in every cycle of every run."""
        return bool(self.checked) and all(one.is_equal for one in self.checked)

    def as_json(self) -> dict[str, Any]:
        """All of it but the table, as JSON values."""
        return {
            **self.findings.as_json(),
            "exact": self.is_exact,
            "checked": [one.as_json() for one in self.checked],
            "rates": [one.as_json() for one in self.rates],
            "cycles": self.cycles,
        }

    def lines(self) -> Iterator[str]:
        """All of it but the table, for people."""
        yield from self.findings.lines()
        yield ""
        yield (
            "the table matches the DUT exactly"
            if self.is_exact
            else "the table does NOT match the DUT exactly"
        )
        for one in self.checked:
            yield f"  {one.line()}"
        if self.rates:
            yield ""
            yield "rates without pauses"
        for rate in self.rates:
            yield f"  {rate.line()}"

    def for_process(self) -> dict[str, Any]:
        """All of it as JSON values, for the process that asked; see `from_process`."""
        return {
            "findings": self.findings.as_json(),
            "table": self.table,
            "checked": [asdict(one) for one in self.checked],
            "rates": [asdict(one) for one in self.rates],
            "cycles": self.cycles,
        }


def from_process(said: Mapping[str, Any]) -> Characterised:
    """What `for_process` gave."""
    return Characterised(
        findings_from_json(said["findings"]),
        said["table"],
        [Checked(**one) for one in said["checked"]],
        [Rate(**one) for one in said["rates"]],
        said["cycles"],
    )
