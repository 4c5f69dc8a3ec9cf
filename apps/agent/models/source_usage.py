"""Which sources an answer rests on (contract §2.4, §4.6)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from apps.tenancy.scoping import TenantModel


class ReplySourceUsage(TenantModel):
    """One source that one run used: a reference only, never what was said or by whom."""

    class SourceType(models.TextChoices):
        SLACK_MESSAGE = "slack_message"
        KNOWLEDGE_PAGE = "knowledge_page"

    run_id = models.UUIDField()
    source_type = models.TextField(choices=SourceType.choices)
    source_ref = models.TextField()

    class Meta(TenantModel.Meta):
        db_table = "reply_source_usage"
        constraints = [
            models.UniqueConstraint(
                name="reply_source_usage_once", fields=["tenant", "run_id", "source_type", "source_ref"]
            ),
            models.CheckConstraint(
                name="reply_source_usage_type_known",
                condition=Q(source_type__in=["slack_message", "knowledge_page"]),
            ),
        ]
        indexes = [
            models.Index(
                name="reply_source_usage_of", fields=["tenant", "source_type", "source_ref", "-created_at"]
            )
        ]

    def __str__(self) -> str:
        return f"{self.source_type} {self.source_ref}"
