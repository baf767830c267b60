"""Request slots: what may be submitted while completions wait to be handled."""

from __future__ import annotations

from emu.breakdown import of_request
from emu.figures.measure import CHAPTER, US, completions_ps, count_between, run_watched
from emu.figures.model import Figure, Point, Series
from emu.request import Operation, Request
from emu.workload import Access, Closed, Timed, staying

TABLE = "request_slots"
SIZE_BYTES = 8192
#: Lasting rate in operations a µs, by slots.
RATES = {8: 0.4, 16: 0.8, 32: 1.0}
SLOTS = (1, 2, 4, 8, 12, 16, 20, 24, 32, 48)
BURST = 16
#: Enough that only slots and the time between submissions stop the program.
OUTSTANDING = 100
#: Whole periods of the program's clock, counted after the start has passed.
FROM_PS, TO_PS = 200 * US, 1000 * US
SOURCE = f"{CHAPTER}, section on request slots"


def figure() -> Figure:
    """The lasting rate against slots, and when a burst of 16 is submitted."""
    rates = {slots: _rate(slots) for slots in SLOTS}
    lasting = [
        Point(f"{slots} slots", "1/µs", expected, rates[slots], 0.005, SOURCE)
        for slots, expected in RATES.items()
    ]
    few, enough = _submitted_us(8), _submitted_us(16)
    burst = (
        Point("8 slots, burst: the eighth is submitted", "µs", 7, few[7], 0, SOURCE),
        Point("8 slots, burst: the ninth is submitted", "µs", 20, few[8], 0, SOURCE),
        Point("16 slots, burst: the last is submitted", "µs", 15, enough[15], 0, SOURCE),
    )
    return Figure(
        name="slots",
        title="Operations of 8 KiB against request slots, completions handled every 20 µs",
        points=(*lasting, *burst),
        series=(Series("lasting rate", SLOTS, list(rates.values())),),
        x_label="request slots",
        y_label="operations a µs",
    )


def _rate(slots: int) -> float:
    workload = Closed([staying(Operation.READ, SIZE_BYTES)], OUTSTANDING)
    times_ps = completions_ps(TABLE, workload, TO_PS, _overrides(slots))[Operation.READ]
    return count_between(times_ps, FROM_PS, TO_PS) * US / (TO_PS - FROM_PS)


def _submitted_us(slots: int) -> list[float]:
    """When each of a burst was submitted: it waits for that, and for nothing before."""
    requests: list[Request] = []
    burst = [(0, Access(Operation.READ, SIZE_BYTES, n * SIZE_BYTES)) for n in range(BURST)]
    run_watched(TABLE, Timed(burst), requests.append, overrides=_overrides(slots))
    requests.sort(key=lambda request: request.sequence)
    return [sum(of_request(request)[0].values()) / US for request in requests]


def _overrides(slots: int) -> list[str]:
    return [f"slots.capacity={slots}"]
