"""The passages before and after a hit (contract §10.2).

One statement over pairs of page and index: as an ORM condition of twenty alternatives it took longer to write down
than to run.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from django.db import connection

from apps.tenancy.context import current_tenant_id

Spot = tuple[UUID, int]

_AT = """
SELECT k.knowledge_page_id, k.chunk_index, left(k.chunk_text, %(chars)s)
FROM unnest(%(pages)s::uuid[], %(indexes)s::int[]) AS wanted(page, index)
JOIN knowledge_chunks k ON k.knowledge_page_id = wanted.page AND k.chunk_index = wanted.index
WHERE k.tenant_id = %(tenant)s AND k.id <> ALL(%(besides)s::uuid[])
"""


def texts_at(spots: Sequence[Spot], *, besides: Collection[UUID], chars: int) -> dict[Spot, str]:
    """The beginnings of the tenant's passages at these places of pages, but for the chunks already shown."""
    if not spots:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(
            _AT,
            {
                "tenant": current_tenant_id(),
                "pages": [page for page, _ in spots],
                "indexes": [index for _, index in spots],
                "besides": list(besides),
                "chars": chars,
            },
        )
        return {(page, index): text for page, index, text in cursor.fetchall()}
