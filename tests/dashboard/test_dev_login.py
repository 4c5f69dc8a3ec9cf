"""Signing in by naming an address, in development only; signing out; who one is."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from apps.dashboard.public.auth import auth_urls, dev_login_is_open, local_address
from tests.dashboard.conftest import OPERATOR, OWNER, signed_in_as


@pytest.mark.parametrize(
    ("node_env", "bypass", "is_open"),
    [
        ("development", True, True),
        ("development", False, False),
        ("production", True, False),
        ("production", False, False),
    ],
)
def test_the_route_exists_only_where_it_may(
    settings: Any, node_env: str, bypass: bool, is_open: bool
) -> None:
    settings.ENV = settings.ENV.model_copy(update={"node_env": node_env, "auth_dev_bypass": bypass})
    assert dev_login_is_open() is is_open
    names = {found.name for found in auth_urls(dev_login_open=dev_login_is_open())}
    assert ("dev-login" in names) is is_open


def test_without_the_setting_there_is_no_such_page(db: None) -> None:
    assert Client().get("/auth/dev-login", {"email": OPERATOR}).status_code == 404


def test_an_operator_lands_in_the_admin(open_door: None, people: None) -> None:
    reply = Client().get("/auth/dev-login", {"email": f"  {OPERATOR.upper()} "})
    assert (reply.status_code, reply.headers["Location"]) == (302, "/admin/")
    cookie = reply.cookies["root_session"]
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 30 * 24 * 60 * 60)


@pytest.mark.parametrize(
    "email", ["stranger@platform.example", "not an address", "\x00", "a" * 5000, "a@b\ud800"]
)
def test_who_is_on_no_list_is_told_so(open_door: None, people: None, email: str) -> None:
    reply = Client().get("/auth/dev-login?email=" + email.encode(errors="replace").decode())
    assert reply.status_code in {400, 403}
    assert "root_session" not in reply.cookies
    assert 'role="alert"' in reply.content.decode()


def test_without_an_address_it_asks_for_one(open_door: None, people: None) -> None:
    reply = Client().get("/auth/dev-login", {"next": '/admin/"><script>'})
    assert reply.status_code == 200
    assert "<script>" not in reply.content.decode()


def test_nothing_signs_in_by_post(open_door: None, people: None) -> None:
    assert Client().post("/auth/dev-login", {"email": OPERATOR}).status_code == 405


@pytest.mark.parametrize(
    ("wanted", "taken"),
    [
        ("/admin/tenancy/tenant/?q=a", "/admin/tenancy/tenant/?q=a"),
        ("//evil.example/", None),
        ("/\\evil.example", None),
        ("https://evil.example/", None),
        ("javascript:alert(1)", None),
        ("/admin/\r\nSet-Cookie: a=b", None),
        ("admin/", None),
        ("", None),
        (None, None),
    ],
)
def test_it_goes_on_to_our_own_pages_only(wanted: str | None, taken: str | None) -> None:
    assert local_address(wanted) == taken


def test_who_one_is(owner: Client, operator: Client) -> None:
    assert Client().get("/auth/me").status_code == 401
    assert owner.get("/auth/me").json() == {
        "email": OWNER,
        "operator": False,
        "tenants": [{"slug": "harbour", "role": "owner"}],
    }
    assert operator.get("/auth/me").json() == {"email": OPERATOR, "operator": True, "tenants": []}


def test_leaving_takes_a_button(operator: Client) -> None:
    assert "<button" in operator.get("/auth/logout").content.decode()
    assert operator.get("/auth/me").status_code == 200
    assert operator.post("/auth/logout").headers["Location"] == "/"
    assert operator.get("/auth/me").status_code == 401
    assert operator.get("/auth/logout").headers["Location"] == "/"


def test_a_form_of_another_site_signs_nobody_out(operator: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = operator.cookies
    assert strict.post("/auth/logout").status_code == 403


def test_a_forged_cookie_is_nobody(open_door: None, people: None) -> None:
    client = signed_in_as(OPERATOR)
    client.cookies["root_session"] = client.cookies["root_session"].value[:-2] + "xx"
    assert client.get("/auth/me").status_code == 401
