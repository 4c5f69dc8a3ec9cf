"""People: one row a known person and tenant (contract §2.1)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.tenancy.scoping import TenantModel


class Principal(TenantModel):
    """A person as the tenant's backend, or channel trust, knows them."""

    ref = models.TextField()
    display_name = models.TextField(default="", db_default="", blank=True)
    tier = models.TextField(default="unresolved", db_default="unresolved")
    is_admin = models.BooleanField(default=False, db_default=False)
    traits = models.JSONField(default=dict, db_default={}, blank=True)
    slack_user_id = models.TextField(null=True, blank=True)  # noqa: DJ001 - unique only where present
    email = models.TextField(null=True, blank=True)  # noqa: DJ001 - absent is not empty
    profile_context = models.TextField(default="", db_default="", blank=True)
    preferences = models.JSONField(default=dict, db_default={}, blank=True)
    tier_resolved_at = models.DateTimeField(null=True, blank=True)
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    conversation_memory = models.TextField(default="", db_default="", blank=True)
    conversation_memory_updated_at = models.DateTimeField(null=True, blank=True)
    conversation_memory_source_count = models.IntegerField(default=0, db_default=0)
    conversation_memory_version = models.IntegerField(default=1, db_default=1)
    conversation_memory_reset_at = models.DateTimeField(null=True, blank=True)
    conversation_memory_last_attempted_at = models.DateTimeField(null=True, blank=True)
    conversation_memory_last_error = models.TextField(default="", db_default="", blank=True)

    class Meta(TenantModel.Meta):
        db_table = "principals"
        constraints = [
            # What a mention refers to, so that both are of one tenant.
            models.UniqueConstraint(name="principals_tenant_id", fields=["tenant", "id"]),
            models.UniqueConstraint(name="principals_ref_per_tenant", fields=["tenant", "ref"]),
            models.UniqueConstraint(
                name="principals_slack_user_per_tenant",
                fields=["tenant", "slack_user_id"],
                condition=Q(slack_user_id__isnull=False),
            ),
        ]
        indexes = [models.Index(name="principals_email", fields=["tenant", "email"])]

    def __str__(self) -> str:
        return self.display_name or self.ref
