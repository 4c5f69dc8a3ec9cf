"""Of browsers that open one link at the same moment, one gets in."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db import connections

from apps.foundation.errors import Forbidden
from apps.knowledge import links
from apps.knowledge.models import WebBrowserSession
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.knowledge.links.cast import a_page, ada, by_tier, opened, token_for

BROWSERS = 8


def test_one_browser_wins(committed_db: None, tenant: Tenant, llm: Any) -> None:
    with tenant_context(tenant):
        page = a_page()
        token = token_for(page, ada())
    barrier = threading.Barrier(BROWSERS)

    def one(_number: int) -> str | None:
        try:
            with tenant_context(tenant):
                barrier.wait(60)
                return opened(page, token)
        except Forbidden:
            return None
        finally:
            connections.close_all()

    with ThreadPoolExecutor(BROWSERS) as pool:
        cookies = [cookie for cookie in pool.map(one, range(BROWSERS)) if cookie is not None]
    assert len(cookies) == 1
    with tenant_context(tenant):
        assert links.read_bare(page.public_id, browser=cookies[0], audience_of=by_tier) == page
        assert WebBrowserSession.objects.count() == 1
