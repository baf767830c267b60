"""The run of a line: requests by number, each through all stops, from times of those before it."""

from __future__ import annotations

from typing import Any

from emu.fast.alike import NEVER_PS
from emu.fast.compiled import compiled, entry
from emu.fast.layout import record
from emu.fast.stop import accept, add_charges, enter, leave
from emu.fast.tally import count_round
from emu.histogram import BUCKETS_LOG2, bucket_of

#: A line at work.
LINE = record(
    # -1 is no limit; without `outstanding` the posts have times of their own.
    *("limit", "until_ps", "outstanding", "is_over"),
    # The time in the plain delays behind the last stop, and where the next post is found.
    *("behind_ps", "next", "posted", "closed"),
    *("last_post_ps", "first_completion_ps", "last_completion_ps", "latest_ps"),
    *("round", "round_left", "rounds", "first_round_ps", "last_round_ps"),
    # The sums, since Python took them last, of the latencies, and of the times inside up to the
    # last completion of those that are not complete.
    *("latency_sum_ps", "late_sum_ps", "largest_ps", "shift"),
)

#: A sum larger than this is taken before anything is added, and no time may be later.
MOST_PS = 1 << 60
#: Buckets for all latencies up to there, and for one that is longer.
BUCKETS = bucket_of(4 * MOST_PS) + 1


@entry
def advance(
    lines: Any,
    stops: Any,
    posts: Any,
    hop_ps: Any,
    bucket_counts: Any,
    bucket_sums: Any,
    inside_at: Any,
    at_most: int,
) -> None:
    """Lets at most so many requests pass; those beyond the end are counted where they are."""
    line = lines[0]
    for _ in range(at_most):
        if line.posted == line.limit:
            line.is_over = 1
            return
        if line.next == posts.size:
            return
        submitted_ps = posts[line.next]
        if line.until_ps >= 0 and submitted_ps > line.until_ps:
            line.is_over = 1
            return
        completed_ps = _pass_through(line, stops, submitted_ps)
        if line.outstanding:
            # Its end lets another be posted, when it is this one's turn again.
            posts[line.next] = completed_ps
        line.next += 1
        if line.next == line.outstanding:
            line.next = 0
        line.posted += 1
        line.last_post_ps = submitted_ps
        if line.until_ps >= 0 and completed_ps > line.until_ps:
            inside_at[_hop_at(line.until_ps, stops, hop_ps, submitted_ps) + 1] += 1
            line.late_sum_ps += max(0, line.last_completion_ps - submitted_ps)
        else:
            _close(line, completed_ps)
            _count_latency(line, bucket_counts, bucket_sums, completed_ps - submitted_ps)
            for index in range(stops.size):
                add_charges(stops[index])
        line.latest_ps = completed_ps
        if max(completed_ps, line.latency_sum_ps, line.late_sum_ps) > MOST_PS:
            return


@compiled
def _pass_through(line: Any, stops: Any, submitted_ps: int) -> int:
    """When the next request is complete."""
    now_ps = submitted_ps
    end_ps = line.until_ps if line.until_ps >= 0 else NEVER_PS
    for index in range(stops.size):
        stop = stops[index]
        entered_ps = enter(stop, now_ps + stop.ahead_ps)
        if index:
            leave(stops[index - 1], now_ps if stop.apart else entered_ps, end_ps)
        now_ps = accept(stop)
    if stops.size:
        leave(stops[stops.size - 1], now_ps, end_ps)
    return int(now_ps + line.behind_ps)


@compiled
def _close(line: Any, completed_ps: int) -> None:
    if line.closed == 0:
        line.first_completion_ps = completed_ps
    line.last_completion_ps = completed_ps
    count_round(line, completed_ps)
    line.closed += 1


@compiled
def _count_latency(line: Any, counts: Any, sums: Any, latency_ps: int) -> None:
    """As `emu.histogram.Histogram.add`."""
    line.latency_sum_ps += latency_ps
    line.largest_ps = max(line.largest_ps, latency_ps)
    # Most latencies are about as long as the one before.
    shift = line.shift
    while latency_ps >> shift >= 2 << BUCKETS_LOG2:
        shift += 1
    while shift and latency_ps >> shift < 1 << BUCKETS_LOG2:
        shift -= 1
    line.shift = shift
    bucket = (shift << BUCKETS_LOG2) + (latency_ps >> shift)
    counts[bucket] += 1
    sums[bucket] += latency_ps


@compiled
def _hop_at(now_ps: int, stops: Any, hop_ps: Any, submitted_ps: int) -> int:
    """The hop at which the last request is at a time, as `emu.where`; -1 is outside.

    It also counts where that acceptance lies beyond the time.
    """
    hop = -1
    left_ps = submitted_ps
    is_inside = True
    for index in range(stops.size):
        stop = stops[index]
        if is_inside and stop.apart:
            hop = _in_run(hop_ps, hop + 1, stop.hop - 1, now_ps - left_ps)
        is_inside = is_inside and stop.arrived_ps <= now_ps
        if is_inside:
            hop = stop.hop
            is_inside = stop.finished_ps <= now_ps
            left_ps = stop.finished_ps
        counts_at_ps = stop.arrived_ps if stop.is_unbounded else stop.accepted_ps
        if counts_at_ps > now_ps:
            if stop.late == 0:
                stop.free_at_end = stop.free_before
                stop.resumed_at_end = stop.resumed_before
            stop.late += 1
    if is_inside:
        hop = _in_run(hop_ps, hop + 1, hop_ps.size - 1, now_ps - left_ps)
    return int(hop)


@compiled
def _in_run(hop_ps: Any, hop: int, last: int, since_ps: int) -> int:
    """The hop at which a request is that came so long ago to a run of plain delays."""
    while hop < last and since_ps >= hop_ps[hop]:
        since_ps -= hop_ps[hop]
        hop += 1
    return hop
