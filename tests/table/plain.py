"""A stage whose parameters are of plain types, for tests of what YAML makes of them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from emu.stage import Stage, parameters
from emu.table.fields import BandwidthField, DurationField, PeriodField, TimeField
from emu.time import Cycles


class Plain(Stage):
    """Does nothing."""

    @parameters
    class Parameters:
        """One of each kind, and quantities with bounds."""

        share: Annotated[float, Field(ge=0, le=1)] = 0.5
        exact: Decimal = Decimal("0.5")
        ratio: Annotated[Fraction, Field(lt=1)] = Fraction(1, 3)
        pair: tuple[int, float] = (1, 0.5)
        rest: tuple[Annotated[Fraction, Field(ge=0)], ...] = ()
        levels: dict[str, list[Decimal]] | None = None
        either: float | str = "x"
        gap: Annotated[TimeField, Field(gt=0, le=1000)] = 1
        speed: Annotated[BandwidthField, Field(le=Fraction(1, 20))] = Fraction(1, 40)
        period: Annotated[PeriodField, Field(lt=Fraction(7, 2))] = Fraction(5, 2)
        wait: DurationField = Cycles(2)

    parameters: Plain.Parameters
