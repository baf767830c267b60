"""Requests as a stage sees them."""

from emu.plan import Plan
from emu.request import Operation, Request


def request(operation: Operation = Operation.LOAD, address: int = 0) -> Request:
    plan = Plan(operation, 64, 0, (), 0)
    return Request(0, operation, 64, address, submitted_ps=0, plan=plan)
