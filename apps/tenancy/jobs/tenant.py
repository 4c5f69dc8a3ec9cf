"""Entering the tenant of a job row (contract §1, §13)."""

from contextlib import AbstractContextManager, nullcontext
from uuid import UUID

from apps.tenancy.context import tenant_context
from apps.tenancy.tenants import tenant_by_id


def entered(tenant_id: UUID | None) -> AbstractContextManager[object]:
    """The context a row's run takes place in; a tick has no tenant and enters none."""
    return nullcontext() if tenant_id is None else tenant_context(tenant_by_id(tenant_id))
