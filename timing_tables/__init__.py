"""The timing tables that the project ships, as data; `emu.table.load` finds them by name."""
