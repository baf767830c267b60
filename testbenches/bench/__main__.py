"""`python -m testbenches.bench`: both engines against SimPy, and lockstep against cocotb.

What is compared takes turns, so that a machine that slows down slows all of it. Exits with 1 where
the engine is less than three times as fast as the usual SimPy model, or loses more than two percent
to the checks for a listener that is not there; where the compiled engine misses what it must reach
(`testbenches.bench.fast`); and where lockstep of one stage keeps less than 70 percent of the cycles
a second that cocotb alone reaches, or does not hold its speed or its memory.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from emu.cli.output import print_table
from emu.path import build
from emu.report import Report
from emu.request import Operation
from emu.table import load
from testbenches.bench import cosim, fast, simpy_model
from testbenches.bench.agreement import agree
from testbenches.bench.machine import machine
from testbenches.bench.simpy_model import Result
from testbenches.bench.untraced import untraced

TABLE, OPERATION, SIZE_BYTES = "pcie_nic", Operation.READ, 64
OUTSTANDING = (1, 64)
TIMES_FASTER = 3.0

ENGINE, USUAL, LEAST = "emu, reference engine", "SimPy", "SimPy, no idle Resource"
UNTRACED = "emu without checks for a listener"
#: The most that these checks may take of a run, in percent.
TRACING_PERCENT = 2.0
COLUMNS = ("model", "outstanding", "requests/s", "emu is faster by")


def measure(requests: int, rounds: int) -> dict[tuple[str, int], float]:
    """Median requests a second of each model with so many outstanding."""
    table = load(TABLE)
    path = build(table)
    steps = simpy_model.steps(table, OPERATION, SIZE_BYTES)
    rates: dict[tuple[str, int], list[float]] = {}

    def engine(outstanding: int) -> Report:
        return path.run(
            operation=OPERATION, size_bytes=SIZE_BYTES, requests=requests, outstanding=outstanding
        )

    def modelled(*, every_resource: bool) -> Callable[[int], Result]:
        return lambda outstanding: simpy_model.run(
            steps, requests=requests, outstanding=outstanding, every_resource=every_resource
        )

    def unheard(outstanding: int) -> Report:
        with untraced():
            return engine(outstanding)

    usual, least = modelled(every_resource=True), modelled(every_resource=False)
    agree(engine(1), usual(1), steps)
    agree(engine(1), least(1), steps)
    for _ in range(rounds):
        for outstanding in OUTSTANDING:
            for name, run in (
                *((ENGINE, engine), (UNTRACED, unheard), (ENGINE, engine), (UNTRACED, unheard)),
                *((USUAL, usual), (LEAST, least)),
            ):
                wall_s = run(outstanding).wall_s
                rates.setdefault((name, outstanding), []).append(requests / wall_s)
    return {key: median(values) for key, values in rates.items()}


def save(
    folder: Path, name: str, title: str, columns: Sequence[str], rows: Sequence[tuple[str, ...]]
) -> None:
    """A table as Markdown and as CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    rule = "|---|" + "---:|" * (len(columns) - 1)
    lines = [title, "", "| " + " | ".join(columns) + " |", rule]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    (folder / f"{name}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])


def main() -> int:
    """Measure, print, save."""
    parser = argparse.ArgumentParser(prog="python -m testbenches.bench", description=__doc__)
    parser.add_argument("--requests", type=int, default=5000, help="in each run")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each model")
    parser.add_argument("--fast-rounds", type=int, default=5, help="rounds of the compiled engine")
    parser.add_argument("--cosim-rounds", type=int, default=5, help="runs of each way beside HDL")
    parser.add_argument("--folder", type=Path, default=Path("build/bench"), help="for the tables")
    chosen = parser.parse_args()

    rates = measure(chosen.requests, chosen.rounds)
    rows = [
        (
            name,
            str(outstanding),
            f"{rate:.0f}",
            "" if name == ENGINE else f"{rates[ENGINE, outstanding] / rate:.2f}",
        )
        for (name, outstanding), rate in rates.items()
    ]
    title = (
        f"{TABLE}, {SIZE_BYTES} B {OPERATION}, {chosen.requests} requests, median of "
        f"{chosen.rounds} runs; {machine()}"
    )
    print(title)
    print_table(COLUMNS, rows)
    save(chosen.folder, "bench", title, COLUMNS, rows)
    worst = min(rates[ENGINE, number] / rates[USUAL, number] for number in OUTSTANDING)
    held = worst >= TIMES_FASTER
    print(
        f"at least {TIMES_FASTER:.0f} times as fast as SimPy: {'yes' if held else 'NO'} "
        f"({worst:.2f} at the least); tables in {chosen.folder}"
    )
    slower = [rates[UNTRACED, number] / rates[ENGINE, number] - 1 for number in OUTSTANDING]
    unheard = max(slower) * 100 < TRACING_PERCENT
    print(
        f"without a listener, tracing costs less than {TRACING_PERCENT:.0f} %: "
        f"{'yes' if unheard else 'NO'} ({max(slower):.2%} at the most)"
    )
    reaches = bench_fast(chosen.folder, chosen.requests, chosen.fast_rounds)
    beside_hdl = bench_cosim(chosen.folder, chosen.cosim_rounds)
    return 0 if held and unheard and reaches and beside_hdl else 1


def bench_fast(folder: Path, few: int, rounds: int) -> bool:
    """Measures, prints and saves what the compiled engine reaches; whether it is what it must."""
    measured = {case: fast.measure(case, few, rounds) for case in fast.CASES}
    rows = [row for case, rates in measured.items() for row in fast.rows(case, rates)]
    title = f"the compiled engine on one core, compiled before, median of {rounds}; {machine()}"
    print(f"\n{title}")
    print_table(fast.COLUMNS, rows, left=2)
    save(folder, "fast", title, fast.COLUMNS, rows)
    verdicts = fast.verdicts(measured[fast.LINE], measured[fast.ORDERED])
    for what, holds, said in verdicts:
        print(f"{what}: {'yes' if holds else 'NO'} ({said})")
    return all(holds for _, holds, _ in verdicts)


def bench_cosim(folder: Path, rounds: int) -> bool:
    """Measures, prints and saves what lockstep costs; whether it keeps what it has to."""
    rows, kept = cosim.compare(rounds)
    title = f"lockstep beside HDL, median of {rounds} runs; {machine()}"
    print(f"\n{title}")
    print_table(cosim.COLUMNS, rows)
    save(folder, "cosim", title, cosim.COLUMNS, rows)
    worst = min(share for (top, _), share in kept.items() if top == cosim.ONE_STAGE.top)
    keeps = worst * 100 >= cosim.KEPT_PERCENT
    print(
        f"lockstep of one stage keeps {cosim.KEPT_PERCENT:.0f} % of cocotb alone: "
        f"{'yes' if keeps else 'NO'} ({worst:.1%} at the least)"
    )
    holds, said = cosim.holds(cosim.long_run("verilator"))
    print(
        f"{cosim.LONG_CYCLES} cycles hold their speed and memory: "
        f"{'yes' if holds else 'NO'} ({said})"
    )
    return keeps and holds


if __name__ == "__main__":
    sys.exit(main())
