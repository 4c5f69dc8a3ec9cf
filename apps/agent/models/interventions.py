"""What waits for a person: requests, escalations, missing tools, failures, reported mistakes (contract §2.4)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.agent.models.conversations import CHANNELS
from apps.tenancy.models import Principal
from apps.tenancy.scoping import TenantModel


class InterventionCategory(models.TextChoices):
    """Why a person is needed."""

    REQUEST = "request"
    ESCALATION = "escalation"
    MISSING_TOOL = "missing_tool"
    SYSTEM_FAILURE = "system_failure"
    MISTAKE_REPORT = "mistake_report"


class InterventionStatus(models.TextChoices):
    """How far it got."""

    OPEN = "open"
    IN_PROGRESS = "in_progress"
    RESOLVED = "resolved"
    DISMISSED = "dismissed"
    CANCELLED = "cancelled"


class HumanIntervention(TenantModel):
    """One matter for the community's team; ``principal`` is empty for strangers and for the system itself."""

    principal = models.ForeignKey(
        Principal, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    channel = models.TextField()
    category = models.TextField(choices=InterventionCategory.choices)
    status = models.TextField(
        choices=InterventionStatus.choices,
        default=InterventionStatus.OPEN,
        db_default=InterventionStatus.OPEN,
    )
    title = models.TextField()
    details = models.TextField(default="", db_default="", blank=True)
    metadata = models.JSONField(default=dict, db_default={}, blank=True)
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    class Meta(TenantModel.Meta):
        db_table = "human_interventions"
        constraints = [
            models.CheckConstraint(
                name="human_interventions_channel_known", condition=Q(channel__in=CHANNELS)
            ),
            models.CheckConstraint(
                name="human_interventions_category_known",
                condition=Q(category__in=InterventionCategory.values),
            ),
            models.CheckConstraint(
                name="human_interventions_status_known", condition=Q(status__in=InterventionStatus.values)
            ),
        ]
        indexes = [
            models.Index(name="human_interventions_latest", fields=["tenant", "-created_at"]),
            models.Index(name="human_interventions_recent", fields=["tenant", "status", "-created_at"]),
            models.Index(name="human_interventions_kind", fields=["tenant", "category", "-created_at"]),
            models.Index(name="human_interventions_person", fields=["tenant", "principal", "-created_at"]),
        ]

    def __str__(self) -> str:
        return f"{self.category} {self.status}"
