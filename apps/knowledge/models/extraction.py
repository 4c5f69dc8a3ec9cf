"""Lasting knowledge proposed from Slack talk (contract §2.5, §13)."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.tenancy.scoping import TenantModel


class SlackKnowledgeExtraction(TenantModel):
    """One proposed entry; an approved one became a page of its author."""

    class Status(models.TextChoices):
        PENDING = "pending"
        APPROVED = "approved"
        REJECTED = "rejected"
        MERGED = "merged"
        DUPLICATE = "duplicate"

    status = models.TextField(choices=Status.choices, default=Status.PENDING, db_default="pending")
    title = models.TextField()
    content = models.TextField()
    category = models.TextField(default="", db_default="")
    author_user_id = models.TextField(null=True)  # noqa: DJ001 - unknown is not empty
    author_name = models.TextField(default="", db_default="")
    channel_id = models.TextField()
    message_ts = models.TextField()
    source_refs = ArrayField(models.TextField(), default=list)
    confidence_score = models.FloatField(null=True)
    review_reason = models.TextField(default="", db_default="")
    auto_reviewed_at = models.DateTimeField(null=True)
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    class Meta(TenantModel.Meta):
        db_table = "slack_knowledge_extractions"
        constraints = [
            models.CheckConstraint(
                name="slack_knowledge_extractions_status_known",
                condition=Q(status__in=["pending", "approved", "rejected", "merged", "duplicate"]),
            ),
            # A run that is done again after a crash proposes nothing twice.
            models.UniqueConstraint(
                name="slack_knowledge_extractions_once",
                fields=["tenant", "channel_id", "message_ts", "title"],
            ),
        ]
        indexes = [
            models.Index(name="slack_extractions_recent", fields=["tenant", "status", "-created_at"]),
            models.Index(name="slack_extractions_author", fields=["tenant", "author_user_id"]),
        ]

    def __str__(self) -> str:
        return f"{self.title} ({self.status})"


class SlackExtractionState(TenantModel):
    """Up to where a tenant's messages were read for lasting knowledge."""

    watermark = models.DateTimeField(null=True)
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    class Meta(TenantModel.Meta):
        db_table = "slack_extraction_state"
        constraints = [models.UniqueConstraint(name="slack_extraction_state_one", fields=["tenant"])]

    def __str__(self) -> str:
        return str(self.watermark)
