"""Whole days as a community's clocks have them (contract §12.2)."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import TypeVar
from zoneinfo import ZoneInfo

from django.db.models import Model, QuerySet

from apps.tenancy.context import current_tenant

R = TypeVar("R", bound=Model)


def zone() -> tzinfo:
    """The current community's zone; UTC where its name is none."""
    try:
        return ZoneInfo(current_tenant().timezone)
    except (ValueError, LookupError, OSError):
        return UTC


def within(rows: QuerySet[R], first: date | None, last: date | None, *, by: str) -> QuerySet[R]:
    """Rows whose time in field ``by`` lies on these days, both included; a missing end is open."""
    if first is not None:
        rows = rows.filter(**{f"{by}__gte": _midnight(first)})
    if last is not None and last < date.max:
        rows = rows.filter(**{f"{by}__lt": _midnight(last + timedelta(days=1))})
    return rows


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=zone())
