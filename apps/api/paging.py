"""Long lists, page by page: a cursor names the last row seen, so that new rows never shift a page (contract §12.2)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Generic, TypeVar
from uuid import UUID

from django.db.models import Model, Q, QuerySet
from pydantic import BaseModel, Field

from apps.api.reading import Query
from apps.foundation.errors import BadInput

LIMIT = 50
MOST = 100
# Fourteen digits of microseconds, then a row's id: every text of this form is a place in a list, so that the document
# says exactly what is accepted.
CURSOR = r"^[0-9a-f]{46}$"
_DIGITS = 14
_ORIGIN = datetime(1, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
R = TypeVar("R", bound=Model)
I = TypeVar("I")  # noqa: E741


class Paged(Query):
    """The parameters of every list."""

    limit: Annotated[int, Field(ge=1, le=MOST, description="Rows in one answer.")] = LIMIT
    cursor: Annotated[
        str | None, Field(pattern=CURSOR, description="The `next_cursor` of the answer before.")
    ] = None


class Page(BaseModel, Generic[I]):
    """Some rows of a list, the newest first. ``next_cursor`` is null on the last page."""

    items: list[I]
    next_cursor: str | None


def page_of(rows: QuerySet[R], query: Paged, *, by: str, show: Callable[[R], I]) -> Page[I]:
    """One page of ``rows`` ordered by the time in field ``by``, newest first; raises :class:`BadInput`."""
    if query.cursor is not None:
        at, last = read_cursor(query.cursor)
        rows = rows.filter(Q(**{f"{by}__lt": at}) | Q(**{by: at, "pk__lt": last}))
    found = list(rows.order_by(f"-{by}", "-pk")[: query.limit + 1])
    shown = found[: query.limit]
    more = len(found) > query.limit
    return Page(items=[show(row) for row in shown], next_cursor=_cursor(shown[-1], by=by) if more else None)


def cursor_at(at: datetime, last: UUID) -> str:
    """A cursor for lists that find their own place to go on."""
    return f"{(at - _ORIGIN) // _MICROSECOND:0{_DIGITS}x}{last.hex}"


def read_cursor(cursor: str) -> tuple[datetime, UUID]:
    """Where a page goes on; raises :class:`BadInput` for anything that is no cursor."""
    if not re.fullmatch(CURSOR, cursor):
        raise BadInput("cursor: use the next_cursor of an earlier answer, unchanged.")
    return _ORIGIN + int(cursor[:_DIGITS], 16) * _MICROSECOND, UUID(cursor[_DIGITS:])


def _cursor(row: Any, *, by: str) -> str:
    return cursor_at(getattr(row, by), row.pk)
