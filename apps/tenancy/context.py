"""Which tenant this code works for: entered once, never guessed (contract §1)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from apps.tenancy.models import Tenant

_current: ContextVar[Tenant | None] = ContextVar("root_tenant", default=None)


class NoTenant(RuntimeError):
    """Tenant data was touched outside a tenant context: always a bug, never answered with a default."""


@contextmanager
def tenant_context(tenant: Tenant) -> Iterator[Tenant]:
    """Runs a block for one tenant; blocks may nest, the inner one counts."""
    token = _current.set(tenant)
    try:
        yield tenant
    finally:
        _current.reset(token)


@contextmanager
def no_tenant() -> Iterator[None]:
    """Runs a block for nobody, whatever context is around it."""
    token = _current.set(None)
    try:
        yield
    finally:
        _current.reset(token)


def current_tenant() -> Tenant:
    """The tenant of this context; raises :class:`NoTenant` when none was entered."""
    tenant = _current.get()
    if tenant is None:
        raise NoTenant("no tenant in context")
    return tenant


def current_tenant_id() -> UUID:
    """The id of the tenant of this context; raises :class:`NoTenant` when none was entered."""
    return current_tenant().pk
