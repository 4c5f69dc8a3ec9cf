"""The pages somebody may see, in the order of their slugs (contract §12.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.db.models import Q

from apps.knowledge.audience import Audience
from apps.knowledge.models import KnowledgePage

AT_ONCE: Final = 100


def pages_after(slug: str, *, audience: Audience, limit: int = AT_ONCE) -> Sequence[KnowledgePage]:
    """The next pages behind a slug, without their contents; all begin behind the empty one."""
    rows = KnowledgePage.objects.filter(slug__gt=slug)
    if not audience.is_admin:
        mine = Q(audience_tiers__contains=[audience.tier]) if audience.tier is not None else Q()
        rows = rows.filter(Q(audience_tiers__isnull=True) | mine)
    if audience.source_types is not None:
        rows = rows.filter(source_type__in=audience.source_types)
    shown = rows.order_by("slug").only("id", "tenant_id", "slug", "title", "updated_at", "source_type")
    return list(shown[:limit])
