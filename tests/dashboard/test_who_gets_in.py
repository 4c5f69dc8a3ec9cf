"""The admin opens to whoever is a platform admin at this moment, and to nobody else."""

from __future__ import annotations

from typing import Any

from django.test import Client

from apps.tenancy.platform_admins import remove_platform_admin
from tests.dashboard.conftest import OPERATOR
from tests.dashboard.every_page import pages_of, standing_addresses
from tests.dashboard.rows_everywhere import fill


def _addresses(tenant: Any) -> list[str]:
    rows = fill(tenant, marker="x")
    return standing_addresses() + [page for model, row in rows.items() for page in pages_of(model, row.pk)]


def _is_turned_away(client: Client, address: str) -> bool:
    replies = [client.get(address), client.post(address, {"action": "suspend"})]
    return all(
        reply.status_code == 302 and reply.headers["Location"].startswith("/admin/login/")
        for reply in replies
    )


def test_not_to_strangers(open_door: None, people: None, tenant: Any) -> None:
    assert [a for a in _addresses(tenant) if not _is_turned_away(Client(), a)] == []


def test_not_to_a_tenants_owner(owner: Client, tenant: Any) -> None:
    assert [a for a in _addresses(tenant) if not _is_turned_away(owner, a)] == []


def test_not_to_an_operator_removed_a_moment_ago(operator: Client, tenant: Any) -> None:
    addresses = _addresses(tenant)
    assert operator.get("/admin/").status_code == 200
    remove_platform_admin(OPERATOR)
    assert [a for a in addresses if not _is_turned_away(operator, a)] == []


def test_there_is_no_password_to_type(open_door: None, people: None) -> None:
    page = Client().get("/admin/login/").content.decode()
    assert 'type="password"' not in page
    assert "/auth/dev-login" in page
    assert Client().post("/admin/login/", {"username": OPERATOR, "password": ""}).status_code == 200
    assert Client().get("/admin/password_change/").status_code in {302, 404}


def test_in_production_the_page_names_the_dashboard(db: None, settings: Any) -> None:
    settings.ENV = settings.ENV.model_copy(update={"node_env": "production", "auth_dev_bypass": True})
    page = Client().get("/admin/login/").content.decode()
    assert "Sign in on the dashboard" in page
    assert "dev-login" not in page


def test_an_owner_is_told_why(owner: Client) -> None:
    assert "is not an operator" in owner.get("/admin/", follow=True).content.decode()


def test_every_answer_carries_the_strict_policy(operator: Client, tenant: Any) -> None:
    for address in [*_addresses(tenant), "/admin/login/"]:
        reply = operator.get(address)
        if reply.status_code == 403:
            continue  # nothing can be added there
        policy = reply.headers.get("Content-Security-Policy", "")
        assert "default-src 'none'" in policy, address
        assert "unsafe" not in policy


def test_forms_without_their_token_are_refused(operator: Client, tenant: Any) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = operator.cookies
    reply = strict.post("/admin/tenancy/tenant/", {"action": "suspend", "_selected_action": tenant.pk})
    assert reply.status_code == 403
