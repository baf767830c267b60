"""Workloads: what a program posts, and when."""

from emu.workload.access import Access
from emu.workload.chain import Chain
from emu.workload.stream import stepping
from emu.workload.workload import Closed, Timed, Workload

__all__ = ["Access", "Chain", "Closed", "Timed", "Workload", "stepping"]
