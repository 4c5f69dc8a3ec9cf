"""A tenant's own backend (contract §2.1)."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q

from apps.tenancy.context import current_tenant
from apps.tenancy.scoping import TenantModel


class Integration(TenantModel):
    """Where a backend answers and how it is signed for; ``signing_secret`` never leaves the server."""

    class Status(models.TextChoices):
        ACTIVE = "active"
        DISABLED = "disabled"
        PENDING = "pending"

    class Environment(models.TextChoices):
        DEV = "dev"
        LIVE = "live"

    name = models.TextField()
    base_url = models.TextField()
    signing_secret = models.TextField()
    callback_token = models.TextField(default="", db_default="", blank=True)
    status = models.TextField(choices=Status.choices, default=Status.ACTIVE, db_default="active")
    manifest = models.JSONField(null=True, blank=True)
    manifest_fetched_at = models.DateTimeField(null=True, blank=True)
    tool_overrides = models.JSONField(default=dict, db_default={}, blank=True)
    endpoint_paths = models.JSONField(default=dict, db_default={}, blank=True)
    environment = models.TextField(choices=Environment.choices, default=Environment.DEV, db_default="dev")

    class Meta(TenantModel.Meta):
        db_table = "integrations"
        constraints = [
            models.UniqueConstraint(
                name="integrations_name_per_environment", fields=["tenant", "name", "environment"]
            ),
            models.CheckConstraint(
                name="integrations_status_known", condition=Q(status__in=["active", "disabled", "pending"])
            ),
            models.CheckConstraint(
                name="integrations_environment_known", condition=Q(environment__in=["dev", "live"])
            ),
        ]
        indexes = [models.Index(name="integrations_environment", fields=["tenant", "environment"])]

    def __str__(self) -> str:
        return f"{self.name} ({self.status})"

    def stamp_tenant(self) -> None:
        super().stamp_tenant()
        # A backend belongs to the environment of its tenant row, whatever was asked for.
        self.environment = current_tenant().environment

    def save(self, *args: Any, **kwargs: Any) -> None:
        fields = kwargs.get("update_fields")
        if fields is not None:
            kwargs["update_fields"] = {*fields, "environment"}
        super().save(*args, **kwargs)
