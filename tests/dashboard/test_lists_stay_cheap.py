"""A list costs as many queries with fifty rows as with two; the queues' page shows what is there."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.dashboard.ops.admin.paging import BoundedPaginator
from apps.tenancy.models import QueueJob, QueueJobEvent
from apps.tenancy.tenants import create_tenant, shadow_of
from tests.dashboard.every_page import listed
from tests.dashboard.rows_everywhere import fill


def _queries(client: Client, address: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as seen:
        assert client.get(address).status_code == 200
    return len(seen)


def test_every_list(operator: Client, tenant: Any) -> None:
    fill(tenant, marker="x")
    addresses = [address for _, address in listed()] + ["/admin/queues/", "/admin/"]
    for address in addresses:
        client_warm = operator.get(address)
        assert client_warm.status_code == 200
    few = {address: _queries(operator, address) for address in addresses}
    for number in range(1, 8):
        other = create_tenant(f"club-{number}", display_name="Club")
        shadow_of(other)
        fill(other, marker="x", number=number)
    many = {address: _queries(operator, address) for address in addresses}
    assert many == few
    assert max(many.values()) <= 9


def test_newest_first(operator: Client, tenant: Any) -> None:
    for number in range(3):
        create_tenant(f"club-{number}", display_name="Club")
    rows = operator.get("/admin/tenancy/tenant/").context["cl"].result_list
    assert [row.slug for row in rows][:3] == ["club-2", "club-1", "club-0"]


def test_counting_stops_somewhere() -> None:
    class Endless:
        def order_by(self) -> Endless:
            return self

        def __getitem__(self, part: slice) -> Endless:
            assert part.stop == 10_000
            return self

        def count(self) -> int:
            return 10_000

    endless: Any = Endless()
    assert BoundedPaginator(endless, 50).count == 10_000


def test_the_queues_page(operator: Client, tenant: Any) -> None:
    import uuid

    for number in range(3):
        QueueJob.objects.create(tenant=tenant, queue="notifications", key=f"k{number}")
    QueueJob.objects.create(tenant=tenant, queue="<b>gone</b>", key="k")
    QueueJobEvent.objects.create(queue="notifications", job_id=uuid.uuid4(), status="failed")
    QueueJobEvent.objects.create(queue="notifications", job_id=uuid.uuid4(), status="completed")
    reply = operator.get("/admin/queues/")
    line = next(line for line in reply.context["lines"] if line.now.queue == "notifications")
    assert (line.now.depth, line.now.failures) == (3, 1)
    page = reply.content.decode()
    assert "1 completed, 1 failed in the last 24 hours" in page
    assert "<b>gone</b>" not in page
    assert "&lt;b&gt;gone&lt;/b&gt;" in page
    assert operator.post("/admin/queues/").status_code == 405


def test_a_queue_past_its_threshold_stands_out(operator: Client, tenant: Any, settings: Any) -> None:
    settings.ENV = settings.ENV.model_copy(update={"root_queue_alert_depth": 1})
    assert "needs attention" not in operator.get("/admin/queues/").content.decode()
    for number in range(2):
        QueueJob.objects.create(tenant=tenant, queue="notifications", key=f"k{number}")
    assert "needs attention" in operator.get("/admin/queues/").content.decode()


@pytest.mark.parametrize("page", ["/admin/tenancy/queuejob/", "/admin/tenancy/tenantapikey/"])
def test_an_empty_list_says_so(operator: Client, page: str) -> None:
    assert 'class="nothing"' in operator.get(page).content.decode()
    assert "Nothing matches" in operator.get(page, {"q": "zz"}).content.decode()
