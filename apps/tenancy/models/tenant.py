"""Tenants: one row a community and environment (contract §1, §2.1)."""

from __future__ import annotations

import uuid
from functools import cached_property

from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.tenancy.settings_schema import TenantSettings

ROOT_TENANT_ID = uuid.UUID("11111111-1111-4111-8111-111111111111")
ROOT_TENANT_SLUG = "root"


class Tenant(models.Model):
    """A community in one environment; a shadow row (``slug--dev``) points at its live row."""

    class Status(models.TextChoices):
        ACTIVE = "active"
        SUSPENDED = "suspended"
        PROVISIONING = "provisioning"

    class Environment(models.TextChoices):
        DEV = "dev"
        LIVE = "live"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, db_default=RandomUUID(), editable=False)
    slug = models.TextField(unique=True)
    display_name = models.TextField()
    agent_name = models.TextField(default="Root", db_default="Root")
    status = models.TextField(choices=Status.choices, default=Status.ACTIVE, db_default="active")
    timezone = models.TextField(default="America/Los_Angeles", db_default="America/Los_Angeles")
    settings = models.JSONField(default=dict, db_default={}, blank=True)
    stytch_org_id = models.TextField(null=True, blank=True)  # noqa: DJ001 - NULL means no organisation yet
    environment = models.TextField(choices=Environment.choices, default=Environment.LIVE, db_default="live")
    live_tenant = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="shadows"
    )
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    class Meta:
        db_table = "tenants"
        constraints = [
            models.CheckConstraint(
                name="tenants_status_known", condition=Q(status__in=["active", "suspended", "provisioning"])
            ),
            models.CheckConstraint(
                name="tenants_environment_known", condition=Q(environment__in=["dev", "live"])
            ),
            models.UniqueConstraint(
                name="tenants_one_shadow_per_live",
                fields=["live_tenant"],
                condition=Q(live_tenant__isnull=False),
            ),
            # What a backend's row refers to, so that its environment is its tenant's (see migration 0004).
            models.UniqueConstraint(name="tenants_id_and_environment", fields=["id", "environment"]),
        ]

    def __str__(self) -> str:
        return self.slug

    @property
    def is_active(self) -> bool:
        """A shadow is active while its live community is."""
        live = self.live_tenant
        return self.status == self.Status.ACTIVE and (live is None or live.status == self.Status.ACTIVE)

    @property
    def live_id(self) -> uuid.UUID:
        """The id under which keys and identity are kept: the live row's."""
        return self.live_tenant_id or self.id

    @cached_property
    def config(self) -> TenantSettings:
        """The typed view of ``settings``; what is malformed there counts as unset."""
        return TenantSettings.read(self.settings)
