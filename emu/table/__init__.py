"""Timing tables: what they may say, how they are read, and what is said of a wrong one."""

from emu.table.catalog import table_names
from emu.table.errors import Problem, TableError
from emu.table.loader import load

__all__ = ["Problem", "TableError", "load", "table_names"]
