"""Every message in and out, on every channel (contract §2.1)."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.tenancy.models import Principal
from apps.tenancy.scoping import TenantModel

CHANNELS = ["slack", "email", "api", "web"]


class ConversationLog(TenantModel):
    """One message. Both rows of an exchange share ``exchange_key``; ``dedupe_key`` ends in ``:in`` or ``:out``."""

    principal = models.ForeignKey(
        Principal, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    dedupe_key = models.TextField()
    exchange_key = models.TextField()
    member_id = models.TextField(default="", db_default="", blank=True)
    channel = models.TextField()
    direction = models.TextField()
    source = models.TextField(default="runtime", db_default="runtime")
    status = models.TextField(default="recorded", db_default="recorded")
    message_text = models.TextField(default="", db_default="", blank=True)
    subject = models.TextField(default="", db_default="", blank=True)
    message_at = models.DateTimeField(db_default=Now())
    external_message_id = models.TextField(default="", db_default="", blank=True)
    thread_key = models.TextField(default="", db_default="", blank=True)

    slack_user_id = models.TextField(default="", db_default="", blank=True)
    slack_channel_id = models.TextField(default="", db_default="", blank=True)
    slack_thread_ts = models.TextField(default="", db_default="", blank=True)
    slack_message_ts = models.TextField(default="", db_default="", blank=True)

    from_email = models.TextField(default="", db_default="", blank=True)
    to_email = models.TextField(default="", db_default="", blank=True)
    cc_emails = ArrayField(models.TextField(), default=list, db_default=[], blank=True)
    in_reply_to = models.TextField(default="", db_default="", blank=True)
    references = models.TextField(default="", db_default="", blank=True)

    metadata = models.JSONField(default=dict, db_default={}, blank=True)

    class Meta(TenantModel.Meta):
        db_table = "conversation_logs"
        constraints = [
            # What a mention refers to, so that both are of one tenant (see migration 0006).
            models.UniqueConstraint(name="conversation_logs_tenant_id", fields=["tenant", "id"]),
            models.UniqueConstraint(name="conversation_logs_dedupe", fields=["tenant", "dedupe_key"]),
            models.CheckConstraint(name="conversation_logs_channel_known", condition=Q(channel__in=CHANNELS)),
            models.CheckConstraint(
                name="conversation_logs_direction_known", condition=Q(direction__in=["inbound", "outbound"])
            ),
        ]
        indexes = [
            models.Index(name="conversation_logs_recent", fields=["tenant", "-message_at"]),
            models.Index(name="conversation_logs_channel", fields=["tenant", "channel", "-message_at"]),
            models.Index(name="conversation_logs_person", fields=["tenant", "principal", "-message_at"]),
            models.Index(name="conversation_logs_thread", fields=["tenant", "thread_key", "message_at"]),
            models.Index(name="conversation_logs_exchange", fields=["exchange_key"]),
            models.Index(name="conversation_logs_external", fields=["external_message_id"]),
        ]

    def __str__(self) -> str:
        return f"{self.direction} {self.channel}"
