"""What was carried over Slack and by mail, and whether it arrived (contract §2.1, metering)."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from apps.tenancy.scoping import TenantModel

_DIRECTION_KNOWN = Q(direction__in=["inbound", "outbound"])


class SlackLog(TenantModel):
    """One message posted to Slack or received from it."""

    direction = models.TextField(default="outbound", db_default="outbound")
    slack_channel_id = models.TextField(default="", db_default="", blank=True)
    slack_user_id = models.TextField(default="", db_default="", blank=True)
    thread_ts = models.TextField(default="", db_default="", blank=True)
    message_ts = models.TextField(default="", db_default="", blank=True)
    body_text = models.TextField(default="", db_default="", blank=True)
    status = models.TextField(default="sent", db_default="sent")
    error = models.TextField(default="", db_default="", blank=True)
    metadata = models.JSONField(default=dict, db_default={}, blank=True)

    class Meta(TenantModel.Meta):
        db_table = "slack_logs"
        constraints = [
            models.CheckConstraint(name="slack_logs_direction_known", condition=_DIRECTION_KNOWN),
        ]
        indexes = [models.Index(name="slack_logs_recent", fields=["tenant", "-created_at"])]

    def __str__(self) -> str:
        return f"{self.direction} {self.slack_channel_id} {self.message_ts}"


class EmailLog(TenantModel):
    """One mail sent or received."""

    direction = models.TextField(default="outbound", db_default="outbound")
    to_email = models.TextField(default="", db_default="", blank=True)
    cc_emails = ArrayField(models.TextField(), default=list, db_default=[], blank=True)
    subject = models.TextField(default="", db_default="", blank=True)
    body_text = models.TextField(default="", db_default="", blank=True)
    message_id = models.TextField(default="", db_default="", blank=True)
    status = models.TextField(default="sent", db_default="sent")
    error = models.TextField(default="", db_default="", blank=True)
    metadata = models.JSONField(default=dict, db_default={}, blank=True)

    class Meta(TenantModel.Meta):
        db_table = "email_logs"
        constraints = [
            models.CheckConstraint(name="email_logs_direction_known", condition=_DIRECTION_KNOWN),
        ]
        indexes = [models.Index(name="email_logs_recent", fields=["tenant", "-created_at"])]

    def __str__(self) -> str:
        return f"{self.direction} {self.message_id}"
