"""An axis: one thing that a sweep varies, and its values in order."""

from __future__ import annotations

from dataclasses import dataclass

#: Axes whose values are whole numbers, with the least that each may be.
LEAST = {"size": 0, "outstanding": 1, "requests": 1, "seed": 0}
OPERATION = "op"
#: All axes but the parameters of tables, which are called NAME.PARAMETER.
AXES = (*LEAST, OPERATION)

Value = int | str


@dataclass(frozen=True, slots=True)
class Axis:
    """A name and its values: bytes for `size`, whole numbers or texts for the others."""

    name: str
    values: tuple[Value, ...]

    @property
    def is_setting(self) -> bool:
        """Whether it is a parameter of the tables, as `--set` names it."""
        return self.name not in AXES
