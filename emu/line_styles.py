"""How the lines of a picture are told apart: a property of the line for each thing that varies."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from emu.errors import EmuError
from emu.plot import GREY, INK
from emu.sweep.swept import Column

#: How lines are told apart. Neighbouring hues stay apart for colour-blind readers too.
HUES = ("#2f79bd", "#c4502b", "#12805c", "#6a3d9a", "#c98a12", "#d81b7a", "#3d3d3d", "#0aa3b5")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.4)), (0, (6, 2, 1, 2)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
#: Lightness of the first and of the last shade.
LIGHTEST, DARKEST = 0.78, 0.26
#: How many values each property can tell.
ROOM = {"hue": len(HUES), "shade": 100, "dash": len(DASHES), "marker": len(MARKERS)}


@dataclass
class Styles:
    """The column that each property of a line tells; a property that tells none is plain."""

    told: dict[str, Column] = field(default_factory=dict)

    def of(self, place: dict[str, int]) -> dict[str, Any]:
        """The style of a line, by the places of its values in their columns."""
        at = {how: place.get(column.name, 0) for how, column in self.told.items()}
        colour = HUES[at.get("hue", 0)]
        if "shade" in at:
            colour = shaded(colour, at["shade"], len(self.told["shade"].texts))
        return {
            "color": colour,
            "linestyle": DASHES[at.get("dash", 0)],
            "marker": MARKERS[at.get("marker", 0)],
        }

    def sample(self, how: str, place: int) -> dict[str, Any]:
        """The style of a value in the legend, without what it says nothing about."""
        column = self.told[how]
        style = self.of({column.name: place})
        if how == "hue":
            style["color"] = HUES[place]
        elif how == "shade" and "hue" in self.told:
            style["color"] = shaded(GREY, place, len(column.texts))
        elif how != "shade":
            style["color"] = INK
        return style


def styles(columns: Sequence[Column], *, dashes: bool) -> Styles:
    """Kinds are told by hues, numbers by shades, and where there are more, by what is left.

    `EmuError` for more columns, or more values, than lines can be told apart by.
    """
    found = Styles()
    for column in sorted(columns, key=lambda column: column.numbers is not None):
        others = ("hue", "dash", "marker", "shade") if dashes else ("hue", "marker", "shade")
        wishes = others if column.numbers is None else ("shade", *others)
        fitting = [
            how for how in wishes if how not in found.told and len(column.texts) <= ROOM[how]
        ]
        if not fitting:
            beside = [one.name for one in columns if one is not column]
            raise EmuError(
                f"{column.name} has {len(column.texts)} values, too many to tell lines apart by"
                + (f" beside {', '.join(beside)}" if beside else "")
                + f"; expected it as --x {column.name}, or a smaller sweep"
            )
        found.told[fitting[0]] = column
    return found


def shaded(colour: str, place: int, places: int) -> str:
    """A colour's hue, from light at the first place to dark at the last."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    hue, _, saturation = colorsys.rgb_to_hls(red, green, blue)
    lightness = LIGHTEST + (DARKEST - LIGHTEST) * place / max(1, places - 1)
    rgb = colorsys.hls_to_rgb(hue, lightness, saturation)
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgb)
