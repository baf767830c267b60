"""Histogram: percentiles of latencies in constant memory."""

from __future__ import annotations

from collections.abc import Mapping

#: Buckets to each doubling: a bucket is at most 1/1024 of its values wide, under 0.1 %.
BUCKETS_LOG2 = 10


def bucket_of(value: int) -> int:
    """The bucket of a whole number from zero on; values up to 2047 have one each."""
    shift = value.bit_length() - (BUCKETS_LOG2 + 1)
    return value if shift <= 0 else (shift << BUCKETS_LOG2) + (value >> shift)


class Histogram:
    """Counts whole picoseconds; `mean`, `largest` and sums are exact, percentiles to 0.1 %."""

    def __init__(self) -> None:
        self.count = 0
        self.sum = 0
        self.largest = 0
        self._counts: dict[int, int] = {}
        self._sums: dict[int, int] = {}

    def add(self, value: int) -> None:
        """Counts one value."""
        self.count += 1
        self.sum += value
        if value > self.largest:
            self.largest = value
        bucket = bucket_of(value)
        self._counts[bucket] = self._counts.get(bucket, 0) + 1
        self._sums[bucket] = self._sums.get(bucket, 0) + value

    def merge(self, counts: Mapping[int, int], sums: Mapping[int, int], largest: int) -> None:
        """Adds values that were counted elsewhere: how many, and their sum, by bucket."""
        self.count += sum(counts.values())
        self.sum += sum(sums.values())
        self.largest = max(self.largest, largest)
        for bucket, count in counts.items():
            self._counts[bucket] = self._counts.get(bucket, 0) + count
            self._sums[bucket] = self._sums.get(bucket, 0) + sums[bucket]

    def mean(self) -> float:
        """The exact mean, as near as a float is."""
        return self.sum / self.count

    def percentile(self, per_mille: int) -> int:
        """A value within 0.1 % of the smallest that so many thousandths of all do not exceed."""
        rank = max(1, -(-self.count * per_mille // 1000))
        seen = 0
        for bucket in sorted(self._counts):
            seen += self._counts[bucket]
            if seen >= rank:
                # The mean of a bucket lies inside it, and is exact where all values are the same.
                return self._sums[bucket] // self._counts[bucket]
        raise ValueError("no percentile of nothing")
