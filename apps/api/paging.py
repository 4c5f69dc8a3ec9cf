"""Long lists, page by page: a cursor names the last row seen, so that new rows never shift a page (contract §12.2)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Generic, TypeVar
from uuid import UUID

from django.db.models import Model, Q, QuerySet
from pydantic import BaseModel, Field, StringConstraints

from apps.api.reading import Query

# Microseconds since 1970, and a row's id. Sixteen digits reach from the year 1653 to 2286.
CURSOR = r"^-?[0-9]{1,16}_[0-9a-f]{32}$"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
LIMIT = 50
MOST = 100
R = TypeVar("R", bound=Model)
I = TypeVar("I")  # noqa: E741


class Paged(Query):
    """The parameters of every list."""

    limit: Annotated[int, Field(ge=1, le=MOST, description="Rows in one answer.")] = LIMIT
    cursor: Annotated[
        Annotated[str, StringConstraints(pattern=CURSOR)] | None,
        Field(description="The `next_cursor` of the answer before, unchanged."),
    ] = None


class Page(BaseModel, Generic[I]):
    """Some rows of a list, the newest first. ``next_cursor`` is null on the last page."""

    items: list[I]
    next_cursor: str | None


def page_of(rows: QuerySet[R], query: Paged, *, by: str, show: Callable[[R], I]) -> Page[I]:
    """One page of ``rows`` ordered by the time in field ``by``, newest first."""
    if query.cursor is not None:
        at, last = read_cursor(query.cursor)
        rows = rows.filter(Q(**{f"{by}__lt": at}) | Q(**{by: at, "pk__lt": last}), **{f"{by}__lte": at})
    found = list(rows.order_by(f"-{by}", "-pk")[: query.limit + 1])
    shown = found[: query.limit]
    more = len(found) > query.limit
    return Page(items=[show(row) for row in shown], next_cursor=_cursor(shown[-1], by=by) if more else None)


def cursor_at(at: datetime, last: UUID) -> str:
    """A cursor for lists that find their own place to go on."""
    return f"{(at - _EPOCH) // _MICROSECOND}_{last.hex}"


def read_cursor(cursor: str) -> tuple[datetime, UUID]:
    """Where a page goes on. Every text of a cursor's form names a place, so that none is refused here."""
    microseconds, _, last = cursor.partition("_")
    return _EPOCH + int(microseconds) * _MICROSECOND, UUID(last)


def _cursor(row: Any, *, by: str) -> str:
    return cursor_at(getattr(row, by), row.pk)
