"""The cookie says who proved an address; the lists say, each time, whether it may come in."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.core import signing
from django.http import HttpRequest
from django.test import RequestFactory

from apps.foundation.errors import BadInput, Forbidden
from apps.tenancy import dashboard_users
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.platform_admins import add_platform_admin, remove_platform_admin
from apps.tenancy.sessions import role_in, sign_in, sign_out, signed_in
from apps.tenancy.tenants import set_status, shadow_of


def request_with(session: Any = None) -> HttpRequest:
    request = RequestFactory().get("/")
    request.session = session if session is not None else SessionStore()
    return request


@pytest.fixture
def ana(in_tenant: Tenant) -> str:
    dashboard_users.invite("ana@harbour.example", role="admin", by="platform")
    return "ana@harbour.example"


def test_somebody_listed_comes_in_until_they_are_taken_off(in_tenant: Tenant, ana: str) -> None:
    request = request_with()
    assert sign_in(request, " ANA@Harbour.example ").operator is None
    known = signed_in(request)
    assert known is not None and known.email == ana
    assert role_in(in_tenant, known) == "admin" and role_in(shadow_of(in_tenant), known) == "admin"
    dashboard_users.remove(ana, by="owner")
    assert signed_in(request) is None
    assert role_in(in_tenant, known) is None


def test_strangers_and_nonsense_do_not(in_tenant: Tenant, ana: str) -> None:
    with pytest.raises(Forbidden):
        sign_in(request_with(), "eve@harbour.example")
    with pytest.raises(BadInput):
        sign_in(request_with(), "eve\x00")
    for stored in (7, None, ["ana@harbour.example"], "", "eve@harbour.example"):
        session = SessionStore()
        session["email"] = stored
        assert signed_in(request_with(session)) is None


def test_an_operator_is_an_owner_everywhere_until_removed(tenant: Tenant, other_tenant: Tenant) -> None:
    add_platform_admin("olga@platform.example")
    request = request_with()
    known = sign_in(request, "olga@platform.example")
    assert [role_in(t, known) for t in (tenant, other_tenant)] == ["owner", "owner"]
    remove_platform_admin("olga@platform.example")
    assert signed_in(request) is None


def test_a_role_counts_in_its_own_community_while_that_is_active(
    in_tenant: Tenant, other_tenant: Tenant, ana: str
) -> None:
    known = sign_in(request_with(), ana)
    assert role_in(other_tenant, known) is None
    request = request_with()
    sign_in(request, ana)
    suspended = set_status(in_tenant, "suspended")
    assert role_in(suspended, known) is None
    assert signed_in(request) is None


def test_a_session_from_before_does_not_live_on(in_tenant: Tenant, ana: str) -> None:
    request = request_with()
    request.session["planted"] = "x"
    sign_in(request, ana)
    assert "planted" not in request.session
    sign_out(request)
    assert signed_in(request) is None


def test_the_cookie_is_ours_alone(settings: Any, in_tenant: Tenant, ana: str) -> None:
    assert (settings.SESSION_COOKIE_NAME, settings.SESSION_COOKIE_AGE) == ("root_session", 30 * 86_400)
    assert settings.SESSION_COOKIE_HTTPONLY and settings.SESSION_COOKIE_SAMESITE == "Lax"
    request = request_with()
    sign_in(request, ana)
    request.session.save()
    cookie = request.session.session_key or ""
    assert signed_in(request_with(SessionStore(cookie))) is not None
    forged = signing.dumps({"email": ana}, key="another key", salt=SessionStore.__module__)
    for changed in (cookie[:-2] + "xx", cookie.replace(":", ".", 1), forged, "", "\x00"):
        assert signed_in(request_with(SessionStore(changed))) is None


def test_somebody_of_several_communities_has_a_role_in_each(tenant: Tenant, other_tenant: Tenant) -> None:
    for here, role in ((tenant, "viewer"), (other_tenant, "owner")):
        with tenant_context(here):
            dashboard_users.invite("zoe@both.example", role=role, by="platform")
    known = sign_in(request_with(), "zoe@both.example")
    assert [role_in(t, known) for t in (tenant, other_tenant)] == ["viewer", "owner"]
