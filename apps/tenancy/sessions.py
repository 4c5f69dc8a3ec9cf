"""Who is signed in, and as what: the one place that decides it (contract §14.1).

The cookie ``root_session`` says who proved to own an address. Whether that address may come in is asked of the
lists at every request, so that taking somebody off a list takes effect at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest
from django.middleware.csrf import rotate_token

from apps.foundation.errors import BadInput, Forbidden
from apps.tenancy import platform_admins
from apps.tenancy.context import tenant_context
from apps.tenancy.dashboard_users import Role, role_of
from apps.tenancy.emails import normalized_email
from apps.tenancy.models import Operator, Tenant, TenantUser
from apps.tenancy.scoping import unscoped

_EMAIL: Final = "email"


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Somebody who may come in; ``operator`` is set for operators of the platform."""

    email: str
    operator: Operator | None


def sign_in(request: HttpRequest, email: str) -> SignedIn:
    """Begins a session for an address whose owner has proved it; a session from before does not live on in it.

    Raises :class:`BadInput` for what is no address and :class:`Forbidden` for one that is on no list.
    """
    address = normalized_email(email)
    if address is None:
        raise BadInput("This is not an e-mail address.")
    known = _listed(address)
    if known is None:
        raise Forbidden("This address may not sign in here. Ask an owner of your community to add it.")
    request.session.flush()
    request.session[_EMAIL] = address
    rotate_token(request)
    return known


def sign_out(request: HttpRequest) -> None:
    """Ends the session of this browser."""
    request.session.flush()


def signed_in(request: HttpRequest) -> SignedIn | None:
    """Who makes this request, if they are still on a list."""
    address = request.session.get(_EMAIL)
    return _listed(address) if isinstance(address, str) else None


def role_in(tenant: Tenant, somebody: SignedIn) -> Role | None:
    """What they are in this tenant; an operator of the platform counts as an owner of every one."""
    if somebody.operator is not None:
        return Role.OWNER
    if not tenant.is_active:
        return None
    with tenant_context(tenant):
        return role_of(somebody.email)


def _listed(address: str) -> SignedIn | None:
    operator = platform_admins.operator_of(address)
    if operator is None and not _has_a_tenant(address):
        return None
    return SignedIn(email=address, operator=operator)


def _has_a_tenant(address: str) -> bool:
    rows = unscoped(TenantUser).filter(email=address, tenant__status=Tenant.Status.ACTIVE)
    return rows.exists()
