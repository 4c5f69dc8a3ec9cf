"""Which chunks a search may look at: the tenant of the context, then the asker's audience (contract §1, §10.2)."""

from __future__ import annotations

from typing import Any

from apps.knowledge.audience import Audience
from apps.tenancy.context import current_tenant_id


def chunk_scope(audience: Audience) -> tuple[str, dict[str, Any]]:
    """The condition on chunks ``k`` with its parameters; every raw statement begins with it.

    ``IS TRUE`` keeps the choice of pages a filter: as a join it could change the order in which rows are read.
    """
    parameters: dict[str, Any] = {"tenant": current_tenant_id()}
    if audience.sees_everything:
        return "k.tenant_id = %(tenant)s", parameters
    predicate, more = audience.as_sql("p")
    return _OF_PAGES.format(predicate=predicate), {**parameters, **more}


_OF_PAGES = """k.tenant_id = %(tenant)s AND (k.knowledge_page_id IN (
        SELECT p.id FROM knowledge_pages p WHERE p.tenant_id = %(tenant)s AND {predicate})) IS TRUE"""
