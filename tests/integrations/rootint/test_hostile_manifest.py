"""Manifests nobody should send: refused whole, the last good one stays, the backend is not asked again at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from apps.foundation.errors import RootError
from apps.integrations.models import Integration
from apps.integrations.rootint import registry
from apps.integrations.rootint.registry import active_integrations, refresh
from apps.tenancy.models import Tenant
from tests.fakes.hostile_backend import (
    Behaviour,
    HostileBackend,
    endless,
    gzip_bomb,
    header_flood,
    reply,
    reset_after,
    reset_before,
)

GOOD: dict[str, Any] = {
    "protocol": "root-int/1",
    "name": "house",
    "tools": [{"name": "book", "description": "Books."}],
}


def tool(**values: Any) -> dict[str, Any]:
    return {"name": "find", "description": "Finds."} | values


def with_tools(*tools: Any) -> Behaviour:
    return reply(GOOD | {"tools": list(tools)})


@pytest.fixture
def hostile(in_tenant: Tenant) -> Iterator[HostileBackend]:
    with HostileBackend() as running:
        running.behave(reply(GOOD))
        row = Integration.objects.create(name="house", base_url=running.url, signing_secret=running.secret)
        refresh(row)
        yield running


BAD: list[Any] = [
    pytest.param(reply(GOOD | {"padding": "x" * 10_000_000}), id="ten megabytes"),
    pytest.param(with_tools(*(tool(name=f"t{n}") for n in range(5_000))), id="five thousand tools"),
    pytest.param(with_tools(tool(name="a/b")), id="slash"),
    pytest.param(with_tools(tool(name="../manifest")), id="way up"),
    pytest.param(with_tools(tool(name="fi\tnd")), id="control character"),
    pytest.param(with_tools(tool(name="fi\u200bnd")), id="zero width"),
    pytest.param(with_tools(tool(name="find", description="   ")), id="blank description"),
    pytest.param(with_tools(tool(name="find", description=None)), id="no description"),
    pytest.param(with_tools(tool(name=7)), id="number as name"),
    pytest.param(with_tools("find"), id="tool as text"),
    pytest.param(reply(GOOD | {"tools": {"find": {}}}), id="tools as object"),
    pytest.param(with_tools(tool(admin_only="yes")), id="admin_only as text"),
    pytest.param(with_tools(tool(tiers="member")), id="tiers as text"),
    pytest.param(with_tools(tool(channels=[1])), id="channels of numbers"),
    pytest.param(with_tools(tool(parameters=[])), id="parameters as list"),
    pytest.param(reply(GOOD | {"access_tiers": "member"}), id="tiers of access as text"),
    pytest.param(reply(GOOD | {"access_tiers": [{"core_tools": []}]}), id="tier without a name"),
    pytest.param(reply(GOOD | {"protocol": "mcp/1"}), id="another protocol"),
    pytest.param(reply(GOOD | {"protocol": None}), id="no protocol"),
    pytest.param(reply([GOOD]), id="a list"),
    pytest.param(reply(b"[" * 100_000), id="nested too deeply"),
    pytest.param(reply(b"<html>", content_type="text/html"), id="a page"),
    pytest.param(reply(GOOD, status=302, location="/elsewhere"), id="redirect"),
    pytest.param(reply(GOOD, status=500), id="500"),
    pytest.param(endless(b" " * 65_536), id="endless"),
    pytest.param(gzip_bomb(50), id="gzip bomb"),
    pytest.param(header_flood, id="header flood"),
    pytest.param(reset_after, id="reset in the body"),
    pytest.param(reset_before, id="reset before the headers"),
]


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_manifest_leaves_the_last_good_one_and_is_not_asked_for_again(
    hostile: HostileBackend, bad: Behaviour
) -> None:
    before = Integration.objects.get()
    registry._cache.clear()
    hostile.behave(bad)
    asked = hostile.attempts
    for _ in range(3):
        (found,) = active_integrations()
        assert [entry.name for entry in found.manifest.tools] == ["book"]
    assert 1 <= hostile.attempts - asked <= 2
    after = Integration.objects.get()
    assert (after.status, after.manifest, after.manifest_fetched_at) == (
        "active",
        before.manifest,
        before.manifest_fetched_at,
    )


@pytest.mark.parametrize("bad", [BAD[0], BAD[2], BAD[-1]])
def test_asked_for_by_name_it_says_so_and_a_pending_backend_stays_pending(
    hostile: HostileBackend, bad: Behaviour
) -> None:
    row = Integration.objects.get()
    row.status = Integration.Status.PENDING
    row.save(update_fields=["status"])
    hostile.behave(bad)
    with pytest.raises(RootError):
        refresh(row)
    assert Integration.objects.get().status == "pending"


def test_of_two_tools_with_one_name_the_first_counts(hostile: HostileBackend) -> None:
    hostile.behave(with_tools(tool(description="One."), tool(description="Two.")))
    assert [entry.description for entry in refresh(Integration.objects.get()).tools] == ["One."]
