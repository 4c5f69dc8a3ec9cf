"""Manifests are fetched rarely, by one caller, and outlive a backend that is down."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from apps.foundation import ttl_cache
from apps.foundation.errors import RootError
from apps.foundation.http_failure import HttpFailure
from apps.integrations.models import Integration
from apps.integrations.rootint.manifest import ManifestError
from apps.integrations.rootint.registry import active_integrations, refresh
from apps.tenancy.context import NoTenant, tenant_context
from apps.tenancy.models import Tenant
from tests.fakes.backend import FakeBackend, Recorded, Reply
from tests.integrations.rootint.conftest import MANIFEST

ROUTE = "GET /integration/manifest"


def tool_names() -> list[list[str]]:
    return [[tool.name for tool in found.manifest.tools] for found in active_integrations()]


@pytest.mark.usefixtures("integration")
def test_a_manifest_is_fetched_once_and_kept(backend: FakeBackend) -> None:
    assert tool_names() == [["find_rooms", "book_room"]] == tool_names()
    assert len(backend.calls(ROUTE)) == 1
    assert backend.calls(ROUTE)[0].signed
    assert backend.calls(ROUTE)[0].body == b""
    ttl_cache.clear_all()
    tool_names()
    assert len(backend.calls(ROUTE)) == 2


def test_a_good_fetch_is_stored_and_promotes_a_pending_row(integration: Integration) -> None:
    Integration.objects.update(status=Integration.Status.PENDING)
    active_integrations()
    integration.refresh_from_db()
    assert (integration.status, integration.manifest) == (Integration.Status.ACTIVE, MANIFEST)
    assert integration.manifest_fetched_at is not None


@pytest.mark.parametrize(
    "broken",
    [
        Reply(status=500),
        Reply(status=302, headers={"location": "/elsewhere"}),
        Reply(b"<html>maintenance</html>", headers={"content-type": "text/html"}),
        Reply({"protocol": "other/1", "tools": []}),
        Reply({"protocol": "root-int/1", "tools": [{"name": "x"}]}),
        Reply(b"[" * 100_000),
        Reply(b" " * (3 * 1024 * 1024)),
        Reply(hang_up="at_once"),
    ],
)
@pytest.mark.usefixtures("integration")
def test_the_last_good_manifest_outlives_a_bad_answer(backend: FakeBackend, broken: Reply) -> None:
    active_integrations()
    ttl_cache.clear_all()
    backend.answer(ROUTE, broken)
    assert tool_names() == [["find_rooms", "book_room"]] == tool_names() == tool_names()
    asked = len(backend.calls(ROUTE))
    assert asked <= 3  # the first fetch, and one (on a kept connection at most two) for all three calls after


def test_a_backend_that_never_answered_is_not_offered_and_not_hammered(
    integration: Integration, backend: FakeBackend
) -> None:
    Integration.objects.update(status=Integration.Status.PENDING)
    backend.answer(ROUTE, Reply(status=500))
    assert (active_integrations(), active_integrations()) == ((), ())
    assert len(backend.calls(ROUTE)) == 1
    integration.refresh_from_db()
    assert integration.status == Integration.Status.PENDING


def test_disabled_backends_are_left_alone(integration: Integration, backend: FakeBackend) -> None:
    integration.status = Integration.Status.DISABLED
    integration.save()
    assert active_integrations() == ()
    assert backend.requests == []


def test_overrides_take_effect_without_a_new_fetch(integration: Integration, backend: FakeBackend) -> None:
    active_integrations()
    integration.tool_overrides = {"book_room": {"removed": True}}
    integration.save()
    assert tool_names() == [["find_rooms"]]
    assert len(backend.calls(ROUTE)) == 1


def test_a_new_address_is_asked_at_once(integration: Integration) -> None:
    active_integrations()
    with FakeBackend() as elsewhere:
        elsewhere.answer(ROUTE, Reply({**MANIFEST, "tools": []}))
        integration.base_url = elsewhere.url
        integration.save()
        assert tool_names() == [[]]


def test_each_tenant_sees_its_own(integration: Integration, other_tenant: Tenant) -> None:
    assert len(active_integrations()) == 1
    with tenant_context(other_tenant):
        assert active_integrations() == ()


def test_without_a_tenant_nothing_is_read() -> None:
    with pytest.raises(NoTenant):
        active_integrations()


def test_an_explicit_refresh_says_what_is_wrong(integration: Integration, backend: FakeBackend) -> None:
    assert refresh(integration).name == "foundations"
    backend.answer(ROUTE, Reply({"protocol": "root-int/1", "tools": [{"name": "x"}]}))
    with pytest.raises(ManifestError, match=r"tools\[0\]\.description"):
        refresh(integration)
    backend.answer(ROUTE, Reply(status=404))
    with pytest.raises(HttpFailure):
        refresh(integration)
    integration.refresh_from_db()
    assert integration.manifest == MANIFEST


def test_an_empty_secret_signs_nothing(integration: Integration, backend: FakeBackend) -> None:
    Integration.objects.update(signing_secret="")
    integration.refresh_from_db()
    with pytest.raises(RootError):
        refresh(integration)
    assert backend.requests == []


def test_concurrent_callers_fetch_once(
    committed_db: None, integration: Integration, backend: FakeBackend
) -> None:
    tenant = Tenant.objects.get(pk=integration.tenant_id)
    go = threading.Barrier(8)

    def slow(_: Recorded) -> Reply:
        return Reply(MANIFEST, delay=0.3)

    backend.answer(ROUTE, slow)

    def call(_: int) -> Any:
        from django.db import connections

        try:
            with tenant_context(tenant):
                go.wait(30)
                return tool_names()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(call, range(8))) == [[["find_rooms", "book_room"]]] * 8
    assert len(backend.calls(ROUTE)) == 1


def test_several_stale_backends_are_asked_side_by_side(
    committed_db: None, integration: Integration, backend: FakeBackend
) -> None:
    together = threading.Barrier(2)

    def meet(_: Recorded) -> Reply:
        together.wait(20)  # breaks, and the reply with it, unless the other request is there as well
        return Reply(MANIFEST)

    with FakeBackend() as second:
        for server in (backend, second):
            server.answer(ROUTE, meet)
        Integration.objects.create(name="second", base_url=second.url, signing_secret=second.secret)
        assert [found.name for found in active_integrations()] == ["foundations", "second"]


@pytest.mark.usefixtures("integration")
def test_text_postgres_cannot_hold_is_cleaned_before_storing(backend: FakeBackend) -> None:
    hostile = b'{"protocol":"root-int/1","name":"a\\u0000b\\ud800","tools":[]}'
    backend.answer(ROUTE, Reply(hostile))
    assert active_integrations()[0].manifest.name == "ab\ufffd"
