"""Suspending, naming, inviting, revoking: through the services, confirmed once, refused with their sentences."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.tenancy.api_keys import authenticate_key, mint_key
from apps.tenancy.context import tenant_context
from apps.tenancy.models import PlatformAdmin, Tenant, TenantUser
from apps.tenancy.platform_admins import is_platform_admin
from apps.tenancy.scoping import unscoped
from apps.tenancy.tenants import create_tenant, find_tenant, shadow_of
from tests.dashboard.conftest import OPERATOR, OWNER

TENANTS, USERS = "/admin/tenancy/tenant/", "/admin/tenancy/tenantuser/"
KEYS, ADMINS = "/admin/tenancy/tenantapikey/", "/admin/tenancy/platformadmin/"


def _do(client: Client, address: str, action: str, *rows: Any, confirmed: bool = True) -> str:
    asked = {"action": action, "_selected_action": [row.pk for row in rows]}
    reply = client.post(address, asked | ({"confirmed": "yes"} if confirmed else {}), follow=True)
    assert reply.status_code == 200
    return str(reply.content.decode())


def test_suspending_asks_first_and_then_holds(operator: Client, tenant: Any) -> None:
    question = _do(operator, TENANTS, "suspend", tenant, confirmed=False)
    assert "Suspend?" in question
    assert "harbour" in question
    assert find_tenant("harbour").is_active
    assert "Suspended: harbour." in _do(operator, TENANTS, "suspend", tenant)
    assert not find_tenant("harbour").is_active
    assert "Nothing here to suspend." in _do(operator, TENANTS, "suspend", tenant)
    history = operator.get(reverse("admin:tenancy_tenant_history", args=[tenant.pk])).content.decode()
    assert "Suspended." in history
    assert OPERATOR in history
    assert "Activated: harbour." in _do(operator, TENANTS, "activate", tenant)
    assert find_tenant("harbour").is_active


def test_what_a_service_refuses_is_told_and_the_rest_is_done(
    operator: Client, tenant: Any, other_tenant: Any
) -> None:
    shadow = shadow_of(tenant)
    _do(operator, TENANTS, "suspend", shadow, tenant, other_tenant)
    # A shadow cannot be woken while its live row rests.
    page = _do(operator, TENANTS, "activate", shadow, other_tenant)
    assert "activate that first" in page
    assert "Activated: mill." in page


def test_a_shadow_that_rests_does_not_look_active(operator: Client, tenant: Any) -> None:
    shadow = shadow_of(tenant)
    addresses = (f"{TENANTS}?q={shadow.slug}", f"{TENANTS}{shadow.pk}/change/")
    assert not [a for a in addresses if "rests with its live" in operator.get(a).content.decode()]
    _do(operator, TENANTS, "suspend", tenant)
    assert all("Active, rests with its live community" in operator.get(a).content.decode() for a in addresses)


def test_many_at_once_are_told_in_few_words(operator: Client, tenant: Any) -> None:
    rows = [create_tenant(f"club-{number}-{'x' * 50}", display_name="Club") for number in range(30)]
    assert "and 22 more." in _do(operator, TENANTS, "suspend", *rows)
    assert Tenant.objects.filter(status="suspended").count() == 30
    more = [create_tenant(f"house-{number}", display_name="House") for number in range(71)]
    assert "at most 100 rows" in _do(operator, TENANTS, "activate", tenant, *rows, *more)
    assert Tenant.objects.filter(status="suspended").count() == 30


@pytest.mark.parametrize("row", ["not-a-uuid", "11111111-1111-4111-8111-111111111112", "\x00"])
def test_rows_that_do_not_exist_are_no_error(operator: Client, tenant: Any, row: str) -> None:
    reply = operator.post(
        TENANTS, {"action": "suspend", "_selected_action": row, "confirmed": "yes"}, follow=True
    )
    assert reply.status_code == 200
    assert operator.get(f"{TENANTS}{row.replace(chr(0), '%00')}/change/", follow=True).status_code == 200


def test_no_tenant_is_made_or_deleted_here(operator: Client, tenant: Any) -> None:
    assert operator.get(f"{TENANTS}add/").status_code == 403
    assert operator.post(f"{TENANTS}{tenant.pk}/delete/", {"post": "yes"}).status_code == 403
    assert "No action selected" in _do(operator, TENANTS, "delete_selected", tenant)
    assert Tenant.objects.filter(pk=tenant.pk).exists()


def _form(tenant: Any, **changed: str) -> dict[str, str]:
    kept = {
        "display_name": "Harbour Works",
        "agent_name": "Pilot",
        "timezone": "Europe/Lisbon",
        "settings": "{}",
    }
    return kept | changed


def test_a_tenant_is_renamed_and_its_twin_hears_of_it(operator: Client, tenant: Any) -> None:
    shadow_of(tenant)
    settings = {"persona": {"identity": "You are Ada."}}
    form = _form(tenant, agent_name="Ada", settings=json.dumps(settings))
    reply = operator.post(f"{TENANTS}{tenant.pk}/change/", form)
    assert reply.status_code == 302
    assert (find_tenant("harbour").agent_name, find_tenant("harbour").settings) == ("Ada", settings)
    assert find_tenant("harbour--dev").agent_name == "Ada"
    assert find_tenant("harbour").status == "active"


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"timezone": "Mars/Olympus"}, "not a time zone"),
        ({"display_name": "\u200b"}, "cannot be empty"),
        ({"settings": '{"access": {"slack": "everybody"}}'}, "cannot be stored"),
        ({"settings": "[1]"}, "JSON object"),
        ({"settings": "{"}, "Enter a valid JSON"),
        ({"settings": '{"x": NaN}'}, "finite numbers"),
        ({"settings": '{"x": "\\u0000"}'}, "plain text"),
        ({"settings": '{"x": "\\ud800"}'}, "plain text"),
        ({"settings": "[" * 100_000}, "nested too deeply"),
        ({"settings": '{"x": "' + "a" * 300_000 + '"}'}, "256 KB"),
    ],
)
def test_what_cannot_be_stored_is_told_in_a_sentence(
    operator: Client, tenant: Any, changed: dict[str, str], sentence: str
) -> None:
    before = find_tenant("harbour").settings
    reply = operator.post(f"{TENANTS}{tenant.pk}/change/", _form(tenant, **changed))
    assert reply.status_code == 200
    assert sentence in reply.content.decode()
    assert find_tenant("harbour").settings == before


def test_fields_that_are_not_offered_stay(operator: Client, tenant: Any) -> None:
    operator.post(
        f"{TENANTS}{tenant.pk}/change/", _form(tenant, slug="root2", status="suspended", environment="dev")
    )
    row = Tenant.objects.get(pk=tenant.pk)
    assert (row.slug, row.status, row.environment) == ("harbour", "active", "live")


def test_people_of_a_tenant_are_added_changed_and_removed(operator: Client, tenant: Any) -> None:
    given = {"community": "harbour", "email": "Vera@Harbour.example", "role": "viewer"}
    assert operator.post(f"{USERS}add/", given).status_code == 302
    vera = unscoped(TenantUser).get(email="vera@harbour.example")
    assert vera.tenant_id == tenant.pk
    assert operator.post(f"{USERS}{vera.pk}/change/", {"role": "admin"}).status_code == 302
    assert unscoped(TenantUser).get(pk=vera.pk).role == "admin"
    assert "Removed" in _do(operator, USERS, "remove", vera)
    assert not unscoped(TenantUser).filter(pk=vera.pk).exists()


def test_a_community_keeps_its_last_owner(operator: Client, tenant: Any) -> None:
    otto = unscoped(TenantUser).get(email=OWNER)
    page = _do(operator, USERS, "remove", otto)
    assert "messagelist" in page
    assert "Removed:" not in page
    assert unscoped(TenantUser).filter(pk=otto.pk).exists()


@pytest.mark.parametrize(
    "given",
    [
        {"community": "nowhere", "email": "v@harbour.example", "role": "viewer"},
        {"community": "harbour--dev", "email": "v@harbour.example", "role": "viewer"},
        {"community": "harbour\x00", "email": "v@harbour.example", "role": "viewer"},
        {"community": "harbour", "email": "nobody", "role": "viewer"},
        {"community": "harbour", "email": "v@harbour.example", "role": "emperor"},
        {},
    ],
)
def test_people_that_cannot_be_added(operator: Client, tenant: Any, given: dict[str, str]) -> None:
    shadow_of(tenant)
    reply = operator.post(f"{USERS}add/", given)
    assert reply.status_code == 200
    assert "errorlist" in reply.content.decode()
    assert unscoped(TenantUser).count() == 1


def test_operators_are_added_and_removed(operator: Client) -> None:
    assert operator.post(f"{ADMINS}add/", {"email": "Olaf@platform.example"}).status_code == 302
    assert is_platform_admin("olaf@platform.example")
    _do(operator, ADMINS, "remove", PlatformAdmin.objects.get(email="olaf@platform.example"))
    assert not is_platform_admin("olaf@platform.example")


def test_an_operator_who_removes_themselves_is_out(operator: Client) -> None:
    operator.post(f"{ADMINS}add/", {"email": "olaf@platform.example"})
    me = PlatformAdmin.objects.get(email=OPERATOR)
    _do(operator, ADMINS, "remove", me)
    assert not is_platform_admin(OPERATOR)
    assert operator.get("/admin/").status_code == 302


def test_a_key_is_revoked_and_refused(operator: Client, tenant: Any) -> None:
    from apps.foundation.errors import Forbidden

    minted = mint_key(tenant, name="ci")
    page = operator.get(KEYS).content.decode()
    assert minted.row.token_prefix in page
    assert minted.row.token_hash not in page
    _do(operator, KEYS, "revoke", minted.row)
    with pytest.raises(Forbidden):
        authenticate_key(minted.secret)


def test_a_tenants_page_leads_to_its_things(operator: Client, tenant: Any, other_tenant: Any) -> None:
    mint_key(other_tenant, name="theirs")
    mint_key(tenant, name="ours")
    page = operator.get(f"{TENANTS}{tenant.pk}/change/").content.decode()
    assert "/admin/tenancy/queuejob/?tenant=harbour" in page
    keys = operator.get(f"{KEYS}?tenant=harbour").content.decode()
    assert "ours" in keys
    assert "theirs" not in keys


def test_a_schedule_is_paused_and_resumed(operator: Client, db: None) -> None:
    from django_celery_beat.models import IntervalSchedule, PeriodicTask

    from apps.tenancy.jobs.schedule import TICK

    interval = IntervalSchedule.objects.create(every=60, period=IntervalSchedule.SECONDS)
    row = PeriodicTask.objects.create(name="root: queue-metrics", task=TICK, interval=interval)
    address = "/admin/django_celery_beat/periodictask/"
    _do(operator, address, "pause", row)
    assert not PeriodicTask.objects.get(pk=row.pk).enabled
    _do(operator, address, "resume", row)
    assert PeriodicTask.objects.get(pk=row.pk).enabled
    assert operator.post(f"{address}{row.pk}/change/", {"name": "x"}).status_code == 403


def test_a_tenants_context_is_left_again(operator: Client, tenant: Any) -> None:
    from apps.tenancy.context import NoTenant, current_tenant

    operator.post(f"{USERS}add/", {"community": "harbour", "email": "v@harbour.example", "role": "viewer"})
    with pytest.raises(NoTenant):
        current_tenant()
    with tenant_context(tenant):
        assert TenantUser.objects.count() == 2
