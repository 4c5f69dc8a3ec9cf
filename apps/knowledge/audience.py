"""Who may see a page: one predicate, as SQL for queries and as Python for rows in hand (contract §5.1).

A page with ``audience_tiers`` NULL is for everybody the tier rules let search; a list names tiers, and an empty
one is for admins only. A caller whose tier is scoped to source types sees those types, nothing else.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Protocol


class Restricted(Protocol):
    """What the predicate reads of a page."""

    audience_tiers: list[str] | None
    source_type: str


@dataclass(frozen=True)
class Audience:
    """The asker as the knowledge base sees them; ``source_types`` None means no scoping by type."""

    tier: str | None
    source_types: frozenset[str] | None = None
    is_admin: bool = False

    @property
    def sees_everything(self) -> bool:
        """Can the predicate be left out altogether?"""
        return self.is_admin and self.source_types is None

    def narrowed_to(self, source_types: Collection[str] | None) -> Audience:
        """The same asker, who looks among these types only; None narrows nothing, and nothing widens."""
        if source_types is None:
            return self
        wanted = frozenset(source_types)
        return replace(self, source_types=wanted if self.source_types is None else wanted & self.source_types)

    def admits(self, page: Restricted) -> bool:
        """May this asker see the page?"""
        tiers = page.audience_tiers
        by_tier = self.is_admin or tiers is None or (self.tier is not None and self.tier in tiers)
        return by_tier and (self.source_types is None or page.source_type in self.source_types)

    def as_sql(self, alias: str = "p") -> tuple[str, dict[str, Any]]:
        """The predicate over a page alias with its parameters, for raw statements."""
        parts = ["TRUE"]
        if not self.is_admin:
            parts.append(
                f"({alias}.audience_tiers IS NULL OR {alias}.audience_tiers @> ARRAY[%(tier)s::text])"
            )
        if self.source_types is not None:
            parts.append(f"{alias}.source_type = ANY(%(source_types)s::text[])")
        # An array that holds NULL contains nothing, so an asker without a tier matches no list.
        return " AND ".join(parts), {"tier": self.tier, "source_types": sorted(self.source_types or ())}
