"""Workloads: what a program posts, and when."""

from emu.workload.access import Access
from emu.workload.chain import Chain
from emu.workload.stream import Stream, staying, stepping
from emu.workload.workload import Closed, Timed, Workload

__all__ = ["Access", "Chain", "Closed", "Stream", "Timed", "Workload", "staying", "stepping"]
