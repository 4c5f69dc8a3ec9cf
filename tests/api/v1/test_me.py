"""What a key opens, over HTTP, and how keys that open nothing are answered."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from apps.tenancy.api_keys import mint_key, revoke_key
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.tenants import set_status, shadow_of

PATH = "/api/v1/me"


def asked(secret: str | None, path: str = PATH) -> tuple[int, dict[str, object]]:
    headers = {"Authorization": f"Bearer {secret}"} if secret is not None else {}
    response = Client(headers=headers).get(path)
    assert response.headers["Content-Type"] == "application/json"
    return response.status_code, json.loads(response.content)


def test_live_and_dev_keys_open_the_two_rows_of_one_community(tenant: Tenant) -> None:
    shadow = shadow_of(tenant)
    for environment, row in (("live", tenant), ("dev", shadow)):
        minted = mint_key(tenant, name="crm", environment=environment)  # type: ignore[arg-type]
        status, body = asked(minted.secret)
        assert status == 200
        assert body["tenant"] == {
            "id": str(row.pk),
            "slug": row.slug,
            "display_name": row.display_name,
            "agent_name": row.agent_name,
            "timezone": row.timezone,
        }
        assert body["environment"] == environment
        assert body["key"] == {
            "id": str(minted.row.pk),
            "name": "crm",
            "token_prefix": minted.row.token_prefix,
        }


@pytest.mark.parametrize("secret", [None, "", "rpk_live_" + "0" * 48, "rpk_live_\u00e9", "x" * 9000])
def test_no_key_or_an_unknown_one_is_401(db: None, secret: str | None) -> None:
    status, body = asked(secret)
    assert (status, body["error"]["code"]) == (401, "unauthorized")  # type: ignore[index]


def test_revoked_keys_and_inactive_communities_are_403(tenant: Tenant, other_tenant: Tenant) -> None:
    revoked, sleeping = mint_key(tenant, name="a"), mint_key(other_tenant, name="b")
    with tenant_context(tenant):
        revoke_key(revoked.row)
    set_status(other_tenant, "suspended")
    assert [asked(minted.secret)[0] for minted in (revoked, sleeping)] == [403, 403]


def test_what_is_not_there_is_json_too(tenant: Tenant) -> None:
    secret = mint_key(tenant, name="a").secret
    browser = Client(headers={"Authorization": f"Bearer {secret}", "Accept": "text/html"})
    for method, path, expected in (
        ("GET", "/api/v1/nothing", 404),
        ("GET", "/api/nothing", 404),
        ("PUT", PATH, 405),
        ("GET", f"{PATH}/", 404),
    ):
        response = browser.generic(method, path)
        assert response.status_code == expected, path
        assert set(json.loads(response.content)["error"]) == {"code", "message", "details"}
    assert browser.put(PATH).headers["Allow"] == "GET, HEAD, OPTIONS"
