"""A tenant's secrets for other people's services (contract §2.1)."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from apps.tenancy.scoping import TenantModel


class TenantCredential(TenantModel):
    """One secret of a kind, such as a Slack token; ``value`` never leaves the server."""

    kind = models.TextField()
    value = models.TextField()
    metadata = models.JSONField(default=dict, db_default={}, blank=True)
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    class Meta(TenantModel.Meta):
        db_table = "tenant_credentials"
        constraints = [
            models.UniqueConstraint(name="tenant_credentials_one_per_kind", fields=["tenant", "kind"])
        ]

    def __str__(self) -> str:
        return self.kind
