"""Lists of tables that may hold millions of rows: counted only as far as anybody pages."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.core.paginator import Paginator

COUNTED = 10_000


class BoundedPaginator(Paginator):  # type: ignore[type-arg]
    """Takes a table for at most ten thousand rows long; whoever looks for older ones searches."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        counted: int = rows.order_by()[:COUNTED].count()
        return counted
