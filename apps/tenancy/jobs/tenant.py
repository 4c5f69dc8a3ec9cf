"""The tenant of a job row (contract §1, §13)."""

from contextlib import AbstractContextManager
from uuid import UUID

from apps.tenancy.context import no_tenant, tenant_context
from apps.tenancy.tenants import tenant_by_id


def entered(tenant_id: UUID | None) -> AbstractContextManager[object]:
    """The context a row's run takes place in; a tick has no tenant and enters none."""
    return no_tenant() if tenant_id is None else tenant_context(tenant_by_id(tenant_id))


def is_inactive(tenant_id: UUID | None) -> bool:
    """Does the row belong to a tenant that takes no turns at present?"""
    return tenant_id is not None and not tenant_by_id(tenant_id).is_active
