"""Days in requests: ISO dates on the community's clocks, both ends included (contract §12.2)."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _day(given: object) -> object:
    # Numbers would be read as seconds since 1970.
    if not isinstance(given, str) or not _DAY.fullmatch(given):
        raise ValueError("send a date such as 2026-01-31")
    return date.fromisoformat(given)


Day = Annotated[date, BeforeValidator(_day)]


class Days(BaseModel):
    """Parameters of lists that look at some days; a missing end is open."""

    first: Annotated[
        Day | None, Field(alias="from", description="The first day, in the community's time zone.")
    ] = None
    last: Annotated[
        Day | None, Field(alias="to", description="The last day, in the community's time zone.")
    ] = None
