"""Files a tenant shows of itself, kept as bytes (contract §2.3)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.tenancy.scoping import TenantModel


class TenantAsset(TenantModel):
    """One file; the logo is the only kind so far."""

    class Kind(models.TextChoices):
        LOGO = "logo"

    kind = models.TextField(choices=Kind.choices, default=Kind.LOGO, db_default="logo")
    content_type = models.TextField()
    content = models.BinaryField()
    content_hash = models.TextField()
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    class Meta(TenantModel.Meta):
        db_table = "tenant_assets"
        constraints = [
            models.UniqueConstraint(name="tenant_assets_one_per_kind", fields=["tenant", "kind"]),
            models.CheckConstraint(name="tenant_assets_kind_known", condition=Q(kind__in=["logo"])),
        ]

    def __str__(self) -> str:
        return f"{self.kind} ({self.content_type})"
