"""GET /me: what a key opens (contract §12.2)."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from pydantic import BaseModel
from rest_framework.request import Request

from apps.api.operation import TenantView, operation


class TenantShown(BaseModel):
    """A community."""

    id: UUID
    slug: str
    display_name: str
    agent_name: str
    timezone: str


class KeyShown(BaseModel):
    """A key, told by its beginning."""

    id: UUID
    name: str
    token_prefix: str


class MeShown(BaseModel):
    """The community, key and environment of a caller."""

    tenant: TenantShown
    key: KeyShown
    environment: Literal["live", "dev"]


class Me(TenantView):
    """The caller itself."""

    @operation("What this key opens", name="me", tag="Key", answers={200: MeShown})
    def get(self, request: Request) -> MeShown:
        """The community that the key belongs to and the environment it selects."""
        tenant, key = self.holder.tenant, self.holder.key
        return MeShown(
            tenant=TenantShown(
                id=tenant.pk,
                slug=tenant.slug,
                display_name=tenant.display_name,
                agent_name=tenant.agent_name,
                timezone=tenant.timezone,
            ),
            key=KeyShown(id=key.pk, name=key.name, token_prefix=key.token_prefix),
            environment=key.environment,
        )
