"""A tenant's channels and their secrets (contract §2.3)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.tenancy.scoping import TenantModel


class TenantChannel(TenantModel):
    """Configuration of one channel type; ``secrets`` never leaves the server."""

    class Type(models.TextChoices):
        SLACK = "slack"
        EMAIL = "email"
        WEB = "web"

    class Status(models.TextChoices):
        ACTIVE = "active"
        DISABLED = "disabled"

    type = models.TextField(choices=Type.choices)
    config = models.JSONField(default=dict, db_default={}, blank=True)
    secrets = models.JSONField(default=dict, db_default={}, blank=True)
    status = models.TextField(choices=Status.choices, default=Status.ACTIVE, db_default="active")
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    class Meta(TenantModel.Meta):
        db_table = "tenant_channels"
        constraints = [
            models.UniqueConstraint(name="tenant_channels_one_per_type", fields=["tenant", "type"]),
            models.CheckConstraint(
                name="tenant_channels_type_known", condition=Q(type__in=["slack", "email", "web"])
            ),
            models.CheckConstraint(
                name="tenant_channels_status_known", condition=Q(status__in=["active", "disabled"])
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} ({self.status})"
