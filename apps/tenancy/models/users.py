"""Who may sign in to a tenant's dashboard (contract §2.2, §14.1)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower, Now

from apps.tenancy.scoping import TenantModel


class TenantUser(TenantModel):
    """One address and its role. Rows belong to the live tenant; its shadow has the same people."""

    class Role(models.TextChoices):
        OWNER = "owner"
        ADMIN = "admin"
        VIEWER = "viewer"
        MEMBER = "member"

    email = models.TextField()
    role = models.TextField(choices=Role.choices)
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    class Meta(TenantModel.Meta):
        db_table = "tenant_users"
        constraints = [
            models.UniqueConstraint(name="tenant_users_email_per_tenant", fields=["tenant", "email"]),
            models.CheckConstraint(
                name="tenant_users_role_known", condition=Q(role__in=["owner", "admin", "viewer", "member"])
            ),
        ]
        indexes = [models.Index(Lower("email"), name="tenant_users_lower_email")]

    def __str__(self) -> str:
        return f"{self.email} ({self.role})"
