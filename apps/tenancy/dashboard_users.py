"""Who may sign in to a tenant's dashboard, and what they may do to one another (contract §2.2, §14.1).

The rows belong to the live tenant; its shadow has the same people. An owner may do everything, an administrator
everything that touches no owner, everybody else nothing; operators of the platform count as owners.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import IntegrityError, transaction

from apps.foundation.errors import BadInput, Conflict, Forbidden, NotFound
from apps.tenancy.context import current_tenant, tenant_context
from apps.tenancy.emails import normalized_email
from apps.tenancy.models import Tenant, TenantUser
from apps.tenancy.tenants import tenant_by_id

PLATFORM: Final = "platform"
Role = TenantUser.Role
_ABOVE_ADMINS: Final = frozenset({PLATFORM, Role.OWNER.value})


def role_of(email: str) -> Role | None:
    """The role of an address in the current tenant or its twin; None for somebody who is not listed."""
    address = normalized_email(email)
    if address is None:
        return None
    with _live_tenant():
        role = TenantUser.objects.filter(email=address).values_list("role", flat=True).first()
    return None if role is None else Role(role)


def is_dashboard_user(email: str) -> bool:
    """Is this address listed?"""
    return role_of(email) is not None


def list_users() -> list[TenantUser]:
    """Everybody who is listed, by address."""
    with _live_tenant():
        return list(TenantUser.objects.order_by("email"))


def invite(email: str, *, role: str, by: str) -> TenantUser:
    """Lists somebody new; raises :class:`BadInput`, :class:`Forbidden`, or :class:`Conflict` for somebody known."""
    address, wanted = _address(email), _role(role)
    _check_may_touch(by, wanted)
    with _live_tenant():
        try:
            with transaction.atomic():
                row: TenantUser = TenantUser.objects.create(email=address, role=wanted)
        except IntegrityError:
            raise Conflict("This address is listed already; change its role instead.") from None
    return row


def change_role(email: str, *, role: str, by: str) -> TenantUser:
    """Gives somebody another role; the last owner keeps theirs."""
    wanted = _role(role)
    with _one_change_at_a_time():
        row = _find(email)
        _check_may_touch(by, Role(row.role))
        _check_may_touch(by, wanted)
        if wanted != Role.OWNER:
            _check_not_the_last_owner(row)
        row.role = wanted
        row.save(update_fields=["role", "updated_at"])
    return row


def remove(email: str, *, by: str) -> None:
    """Takes somebody off the list; they are out at their next request. The last owner stays."""
    with _one_change_at_a_time():
        row = _find(email)
        _check_may_touch(by, Role(row.role))
        _check_not_the_last_owner(row)
        row.delete()


@contextmanager
def _live_tenant() -> Iterator[Tenant]:
    here = current_tenant()
    live = here if here.live_tenant_id is None else tenant_by_id(here.live_tenant_id)
    with tenant_context(live):
        yield live


@contextmanager
def _one_change_at_a_time() -> Iterator[None]:
    """Two owners who remove each other at the same moment must not both succeed: the tenant's row is the lock."""
    with _live_tenant() as live, transaction.atomic():
        Tenant.objects.select_for_update(no_key=True).get(pk=live.pk)
        yield


def _find(email: str) -> TenantUser:
    row: TenantUser | None = TenantUser.objects.filter(email=normalized_email(email) or "").first()
    if row is None:
        raise NotFound("Nobody with this address is listed here.")
    return row


def _address(email: str) -> str:
    address = normalized_email(email)
    if address is None:
        raise BadInput("This is not an e-mail address.")
    return address


def _role(role: str) -> Role:
    if role not in Role.values:
        raise BadInput(f"A role is one of {', '.join(Role.values)}.")
    return Role(role)


def _check_may_touch(by: str, role: Role) -> None:
    """May somebody with the role ``by`` give or take this one?"""
    if by in _ABOVE_ADMINS or (by == Role.ADMIN and role != Role.OWNER):
        return
    if by == Role.ADMIN:
        raise Forbidden("Only an owner may make, change or remove owners.")
    raise Forbidden("Only owners and administrators may change who is listed.")


def _check_not_the_last_owner(row: TenantUser) -> None:
    others = TenantUser.objects.filter(role=Role.OWNER).exclude(pk=row.pk)
    if row.role == Role.OWNER and not others.exists():
        raise Conflict("A community keeps at least one owner; make somebody else an owner first.")
