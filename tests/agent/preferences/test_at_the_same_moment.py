"""Two turns of one person at one moment do not save the same wish twice."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from apps.agent.models import MemberPreference
from apps.agent.preferences import Wish, remember
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.agent.people import known


@pytest.mark.usefixtures("committed_db")
def test_one_wish_said_eight_times_at_once_is_one_row(tenant: Tenant) -> None:
    with tenant_context(tenant):
        ada = known()
    together = threading.Barrier(8)

    def save(_: int) -> str:
        try:
            with tenant_context(tenant):
                together.wait(30)
                return remember(ada, Wish(instructions="Keep answers short.")).status
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(save, range(8)))
    assert sorted(outcomes) == [*["already_saved"] * 7, "saved"]
    with tenant_context(tenant):
        assert MemberPreference.objects.count() == 1
