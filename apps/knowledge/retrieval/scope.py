"""Which rows a search may look at: the tenant of the context, then the asker's audience (contract §1, §10.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from apps.knowledge.audience import Audience
from apps.tenancy.context import current_tenant_id


@dataclass(frozen=True)
class Scope:
    """A condition on rows ``k`` with its parameters; every raw statement begins with it."""

    condition: str
    parameters: dict[str, Any]


def tenant_scope() -> Scope:
    """All rows of the tenant."""
    return Scope("k.tenant_id = %(tenant)s", {"tenant": current_tenant_id()})


def chunk_scope(audience: Audience) -> Scope:
    """The chunks of those of the tenant's pages that the asker may see.

    ``IS TRUE`` keeps the choice of pages a filter: as a join it could change the order in which rows are read.
    """
    tenant = tenant_scope()
    if audience.sees_everything:
        return tenant
    predicate, more = audience.as_sql("p")
    return Scope(
        f"{tenant.condition} AND {_OF_PAGES.format(predicate=predicate)}", {**tenant.parameters, **more}
    )


_OF_PAGES = """(k.knowledge_page_id IN (
        SELECT p.id FROM knowledge_pages p WHERE p.tenant_id = %(tenant)s AND {predicate})) IS TRUE"""
