"""The chat opens for holders of its token, and for the cookie the token was traded for."""

from __future__ import annotations

from http.cookies import Morsel
from typing import Any

import pytest
from django.test import Client

from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant, TenantChannel

PAGE = "/web/harbour/test"
MESSAGES = "/web/harbour/messages"


def _cookie(client: Client, token: str, *, page: str = PAGE) -> Morsel[str]:
    return client.get(page, {"token": token}).cookies["root_web"]


def _store(tenant: Tenant, channel: TenantChannel, **changes: Any) -> None:
    with tenant_context(tenant):
        for name, value in changes.items():
            setattr(channel, name, value)
        channel.save()


def _post(client: Client, body: str = "{}", **headers: str) -> int:
    # An empty body is refused with 400 only once the caller was admitted.
    return client.post(MESSAGES, body, content_type="application/json", headers=headers).status_code


def test_the_token_is_traded_for_a_cookie_and_leaves_the_address(
    client: Client, web_channel: TenantChannel, token: str
) -> None:
    answer = client.get(PAGE, {"token": token})
    assert (answer.status_code, answer.headers["Location"]) == (303, PAGE)
    cookie = answer.cookies["root_web"]
    assert (cookie["path"], cookie["samesite"], bool(cookie["httponly"])) == ("/web/harbour/", "Lax", True)
    assert token not in cookie.value
    assert client.get(PAGE).status_code == 200


def test_the_cookie_is_secure_where_the_platform_is(
    client: Client, web_channel: TenantChannel, token: str, settings: Any
) -> None:
    settings.ENV = settings.ENV.model_copy(update={"platform_base_url": "https://root.example"})
    assert _cookie(client, token)["secure"]


@pytest.mark.parametrize("offered", ["wrong", "", "A-TOKEN-FOR-THE-TEST-PAGE", "\ud800", "é"])
def test_a_wrong_token_is_refused(client: Client, web_channel: TenantChannel, offered: str) -> None:
    answer = client.get(PAGE, query_params={"token": offered.encode(errors="replace").decode()})
    assert answer.status_code == 401
    assert "root_web" not in answer.cookies
    assert _post(client, Authorization="Bearer wrong") == 401


def test_nothing_offered_is_refused(client: Client, web_channel: TenantChannel) -> None:
    assert client.get(PAGE).status_code == 401
    answer = client.post(MESSAGES, "{}", content_type="application/json")
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "unauthorized"
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "secrets", [{}, {"access_token": ""}, {"access_token": None}, {"access_token": 7}, [], "x"]
)
def test_an_empty_stored_token_opens_nothing(
    client: Client, tenant: Tenant, web_channel: TenantChannel, secrets: Any
) -> None:
    _store(tenant, web_channel, secrets=secrets)
    for offered in ("", "None", "7"):
        assert client.get(PAGE, {"token": offered}).status_code == 401
    assert _post(client, Authorization="Bearer ") == 401


def test_query_and_bearer_open_the_plain_routes(
    client: Client, web_channel: TenantChannel, token: str
) -> None:
    assert _post(client, Authorization=f"Bearer {token}") == 400
    by_query = client.post(f"{MESSAGES}?token={token}", "{}", content_type="application/json")
    assert by_query.status_code == 400


def test_a_wrong_token_is_not_saved_by_a_good_cookie(
    client: Client, web_channel: TenantChannel, token: str
) -> None:
    _cookie(client, token)
    assert client.get(PAGE, {"token": "wrong"}).status_code == 401


def test_a_new_token_ends_old_cookies(
    client: Client, tenant: Tenant, web_channel: TenantChannel, token: str
) -> None:
    _cookie(client, token)
    _store(tenant, web_channel, secrets={"access_token": "another"})
    assert client.get(PAGE).status_code == 401


def test_a_cookie_opens_its_own_community_only(
    client: Client, web_channel: TenantChannel, other_tenant: Tenant, token: str
) -> None:
    with tenant_context(other_tenant):
        TenantChannel.objects.create(type="web", secrets={"access_token": token})
    stolen = Client()
    stolen.cookies["root_web"] = _cookie(client, token).value
    assert stolen.get("/web/mill/test").status_code == 401


def test_a_forged_cookie_is_refused(client: Client, web_channel: TenantChannel) -> None:
    client.cookies["root_web"] = "0" * 64 + ":1:forged"
    assert client.get(PAGE).status_code == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, 400),
        ({"Origin": "http://testserver"}, 400),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://testserver"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://[testserver"}, 403),
        ({}, 403),
    ],
)
def test_a_cookie_acts_for_its_own_page_only(
    client: Client, web_channel: TenantChannel, token: str, headers: dict[str, str], status: int
) -> None:
    _cookie(client, token)
    assert _post(client, **headers) == status


def test_there_is_no_chat_for_the_unknown_the_disabled_and_the_inactive(
    client: Client, tenant: Tenant, other_tenant: Tenant, web_channel: TenantChannel, token: str
) -> None:
    def statuses(slug: str) -> tuple[int, int]:
        page = client.get(f"/web/{slug}/test", {"token": token})
        body = client.post(f"/web/{slug}/messages?token={token}", "{}", content_type="application/json")
        assert body.json()["error"]["code"] in {"not_found", "bad_input"}
        return page.status_code, body.status_code

    assert statuses("nowhere") == statuses("mill") == statuses("%00") == (404, 404)
    assert statuses("harbour") == (303, 400)
    _store(tenant, web_channel, status="disabled")
    assert statuses("harbour") == (404, 404)
    _store(tenant, web_channel, status="active")
    Tenant.objects.filter(pk=tenant.pk).update(status="suspended")
    from apps.foundation import ttl_cache

    ttl_cache.clear_all()
    assert statuses("harbour") == (404, 404)


def test_a_shadow_has_a_chat_of_its_own(
    client: Client, tenant: Tenant, web_channel: TenantChannel, token: str
) -> None:
    from apps.tenancy.tenants import shadow_of

    shadow = shadow_of(tenant)
    with tenant_context(shadow):
        TenantChannel.objects.create(type="web", secrets={"access_token": "dev-token"})
    assert client.get("/web/harbour--dev/test", {"token": token}).status_code == 401
    assert _cookie(client, "dev-token", page="/web/harbour--dev/test")["path"] == "/web/harbour--dev/"
