"""The same page delivered twice at once is one page."""

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from django.db import connection

from apps.knowledge.models import KnowledgeChunk, KnowledgePage
from apps.knowledge.pages import SavedPage, save_page
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant


def _together(count: int, **arguments: Any) -> list[SavedPage]:
    def work() -> SavedPage:
        try:
            return save_page(**arguments)
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return [future.result() for future in [pool.submit(copy_context().run, work) for _ in range(count)]]


def test_an_explicit_slug_gives_one_page(committed_db: None, tenant: Tenant, llm: Any) -> None:
    with tenant_context(tenant):
        saved = _together(6, title="Gate", slug="gate", content_text="The gate is open from seven to ten.")
        assert sum(one.created for one in saved) == 1
        assert KnowledgePage.objects.count() == 1
        assert KnowledgeChunk.objects.filter(embedding__isnull=False).count() == 1


def test_derived_slugs_are_all_different(committed_db: None, tenant: Tenant, llm: Any) -> None:
    with tenant_context(tenant):
        saved = _together(5, title="Gate", content_text="The gate is open from seven to ten.")
        assert sorted(one.page.slug for one in saved) == ["gate", "gate-2", "gate-3", "gate-4", "gate-5"]
