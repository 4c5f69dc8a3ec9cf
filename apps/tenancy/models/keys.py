"""API keys: only their hashes are kept (contract §2.2, §12.1)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from apps.tenancy.scoping import TenantModel


class TenantApiKey(TenantModel):
    """One bearer key. The row belongs to the live tenant; ``environment`` says which row the key opens."""

    name = models.TextField()
    token_prefix = models.TextField()
    token_hash = models.TextField(unique=True)
    environment = models.TextField(choices=[("dev", "dev"), ("live", "live")], db_default="live")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantModel.Meta):
        db_table = "tenant_api_keys"
        constraints = [
            models.CheckConstraint(
                name="tenant_api_keys_environment_known", condition=Q(environment__in=["dev", "live"])
            )
        ]
        indexes = [models.Index(name="tenant_api_keys_tenant", fields=["tenant", "created_at"])]

    def __str__(self) -> str:
        return f"{self.name} ({self.token_prefix}…)"
