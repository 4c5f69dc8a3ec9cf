"""``manage.py integration``: what an operator does with backends, and that a secret is shown once."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from apps.integrations.models import Integration
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.fakes.backend import FakeBackend, Reply

MANIFEST = {"protocol": "root-int/1", "tools": [{"name": "find", "description": "Finds."}]}


@pytest.fixture
def backend(tenant: Tenant) -> Iterator[FakeBackend]:
    with FakeBackend() as running:
        running.answer("GET /integration/manifest", Reply(MANIFEST))
        run("add", "harbour", "--url", running.url, "--secret", str(running.secret), "--name", "house")
        yield running


def run(*words: str) -> str:
    out = StringIO()
    call_command("integration", *words, stdout=out)
    return out.getvalue()


def row(tenant: Tenant) -> Any:
    with tenant_context(tenant):
        return Integration.objects.get()


def test_a_list_shows_state_and_address_and_no_secret(backend: FakeBackend) -> None:
    shown = run("list", "--tenant", "harbour")
    assert all(word in shown for word in ("house", "active", backend.url, "manifest of"))
    assert str(backend.secret) not in shown


def test_an_empty_list_says_so(tenant: Tenant) -> None:
    assert run("list") == "No backend is connected.\n"


def test_rotation_shows_the_new_secret_once_and_uses_it_at_once(backend: FakeBackend, tenant: Tenant) -> None:
    shown = run("rotate", "house", "--tenant", "harbour")
    secret = row(tenant).signing_secret
    assert shown.count(secret) == 1 and secret != backend.secret and len(secret) == 64
    assert secret not in run("list")
    with pytest.raises(CommandError, match="status 401"):
        run("refresh", "house")
    backend.secret = secret
    assert run("refresh", "house") == "house is active with 1 tools.\n"
    assert secret not in repr(row(tenant)) + str(row(tenant))


def test_a_disabled_backend_is_not_asked_until_it_is_added_again(
    backend: FakeBackend, tenant: Tenant
) -> None:
    run("disable", "house", "--tenant", "harbour")
    asked = len(backend.requests)
    with pytest.raises(CommandError, match="disabled"):
        run("refresh", "house")
    assert (row(tenant).status, len(backend.requests)) == ("disabled", asked)
    run("add", "harbour", "--url", backend.url, "--secret", str(backend.secret), "--name", "house")
    assert row(tenant).status == "active"


@pytest.mark.parametrize("action", ["refresh", "rotate", "disable"])
def test_another_community_s_backend_is_not_there(
    backend: FakeBackend, tenant: Tenant, other_tenant: Tenant, action: str
) -> None:
    before = row(tenant).signing_secret
    with pytest.raises(CommandError, match="no such integration"):
        run(action, "house", "--tenant", "mill")
    with pytest.raises(CommandError, match="no such community"):
        run(action, "house", "--tenant", "nowhere")
    assert (row(tenant).signing_secret, row(tenant).status) == (before, "active")
