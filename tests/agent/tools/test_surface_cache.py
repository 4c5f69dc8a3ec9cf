"""A backend is asked for its surface once a minute; what admins change holds at once (contract §5.2, §7.2)."""

from __future__ import annotations

from typing import Any

import pytest

from apps.agent.tools.surface import surface_for
from apps.foundation import ttl_cache
from apps.integrations.connect import connect
from apps.integrations.models import Integration
from apps.integrations.person import ResolvedPerson
from apps.integrations.rootint.registry import MANIFEST_TTL_SECONDS, active_integrations
from tests.fakes.backend import FakeBackend

ROUTE = "GET /integration/manifest"
MEMBER = ResolvedPerson(principal=None, ref="p-1", display_name="Ada", tier="member", access_level="member")


@pytest.fixture
def connected(in_tenant: Any, backend: FakeBackend) -> FakeBackend:
    connect("house", base_url=backend.url, signing_secret=str(backend.secret))
    return backend


def offered() -> set[str]:
    surface = surface_for(MEMBER, channel="web", message="hi", integrations=active_integrations())
    return {tool.name for tool in surface.tools if tool.origin == "integration"}


def test_surfaces_of_one_minute_cost_one_request(connected: FakeBackend) -> None:
    asked = len(connected.calls(ROUTE))
    assert offered() == offered() == offered() == {"search_members", "book_room"}
    assert len(connected.calls(ROUTE)) == asked == 1
    assert MANIFEST_TTL_SECONDS == 60
    ttl_cache.clear_all()
    offered()
    assert len(connected.calls(ROUTE)) == 2


def test_a_surface_costs_one_query_while_primed(
    connected: FakeBackend, django_assert_num_queries: Any
) -> None:
    offered()
    with django_assert_num_queries(1):
        offered()


def test_overrides_and_disabling_do_not_wait_for_the_minute(connected: FakeBackend) -> None:
    assert "book_room" in offered()
    Integration.objects.update(tool_overrides={"book_room": {"removed": True}})
    assert offered() == {"search_members"}
    Integration.objects.update(status=Integration.Status.DISABLED)
    assert offered() == set()
    assert len(connected.calls(ROUTE)) == 1
