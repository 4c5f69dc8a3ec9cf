"""Who may list, change and remove whom, and that a community keeps an owner."""

from __future__ import annotations

from threading import Barrier, Thread

import pytest

from apps.foundation.errors import BadInput, Conflict, Forbidden, NotFound, RootError
from apps.tenancy import dashboard_users as users
from apps.tenancy.context import NoTenant, tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.tenants import shadow_of

ROLES = ["owner", "admin", "viewer", "member"]
MAY = {
    "platform": set(ROLES),
    "owner": set(ROLES),
    "admin": {"admin", "viewer", "member"},
    "viewer": set(),
    "member": set(),
    "": set(),
}


@pytest.mark.parametrize("by", MAY)
@pytest.mark.parametrize("role", ROLES)
def test_the_table_of_who_may_list_remove_and_change_whom(in_tenant: Tenant, by: str, role: str) -> None:
    users.invite("first@harbour.example", role="owner", by="platform")
    if role in MAY[by]:
        users.invite("new@harbour.example", role=role, by=by)
        users.change_role("new@harbour.example", role="member", by="platform")
        users.change_role("new@harbour.example", role=role, by=by)
        users.remove("new@harbour.example", by=by)
        assert users.role_of("new@harbour.example") is None
        return
    with pytest.raises(Forbidden):
        users.invite("new@harbour.example", role=role, by=by)
    users.invite("new@harbour.example", role=role, by="platform")
    with pytest.raises(Forbidden):
        users.change_role("new@harbour.example", role="member", by=by)
    with pytest.raises(Forbidden):
        users.remove("new@harbour.example", by=by)
    assert users.role_of("new@harbour.example") == role


def test_an_administrator_makes_nobody_an_owner(in_tenant: Tenant) -> None:
    users.invite("vera@harbour.example", role="viewer", by="admin")
    with pytest.raises(Forbidden):
        users.change_role("vera@harbour.example", role="owner", by="admin")


def test_the_last_owner_stays(in_tenant: Tenant) -> None:
    users.invite("ona@harbour.example", role="owner", by="platform")
    with pytest.raises(Conflict):
        users.remove("ona@harbour.example", by="owner")
    with pytest.raises(Conflict):
        users.change_role("ona@harbour.example", role="admin", by="platform")
    assert users.change_role("ona@harbour.example", role="owner", by="owner").role == "owner"


def test_two_owners_who_remove_each_other_at_once_leave_one(committed_db: None, tenant: Tenant) -> None:
    both = ["a@harbour.example", "b@harbour.example"]
    with tenant_context(tenant):
        for email in both:
            users.invite(email, role="owner", by="platform")
    together, refused = Barrier(2), []

    def remove(email: str) -> None:
        from apps.foundation.database import give_back

        with tenant_context(tenant):
            together.wait(10)
            try:
                users.remove(email, by="owner")
            except RootError as error:
                refused.append(error)
        give_back()

    threads = [Thread(target=remove, args=[email]) for email in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    with tenant_context(tenant):
        assert [row.role for row in users.list_users()] == ["owner"]
    assert len(refused) == 1


def test_a_shadow_has_the_people_of_its_live_row_and_nobody_elses(
    tenant: Tenant, other_tenant: Tenant
) -> None:
    shadow = shadow_of(tenant)
    with tenant_context(shadow):
        users.invite(" Ana@Harbour.Example ", role="viewer", by="owner")
    with tenant_context(tenant):
        assert users.role_of("ana@harbour.example") == "viewer"
        assert [row.tenant_id for row in users.list_users()] == [tenant.pk]
    with tenant_context(other_tenant):
        assert users.role_of("ana@harbour.example") is None
        with pytest.raises(NotFound):
            users.remove("ana@harbour.example", by="platform")


def test_nonsense_is_answered_with_a_sentence(in_tenant: Tenant) -> None:
    for email in ("", "ana", "a@b@c", "ana@\x00", "\ud800@harbour.example"):
        with pytest.raises(BadInput):
            users.invite(email, role="viewer", by="owner")
        assert users.role_of(email) is None
    with pytest.raises(BadInput):
        users.invite("ana@harbour.example", role="king", by="owner")
    users.invite("ana@harbour.example", role="viewer", by="owner")
    with pytest.raises(Conflict):
        users.invite("ANA@harbour.example", role="admin", by="owner")


def test_without_a_tenant_nobody_is_listed(db: None) -> None:
    with pytest.raises(NoTenant):
        users.role_of("ana@harbour.example")
