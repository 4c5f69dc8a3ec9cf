"""Whom answers named (contract §2.4, §6)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from apps.agent.models.conversations import CHANNELS, ConversationLog
from apps.tenancy.models import Principal
from apps.tenancy.scoping import TenantModel


class MatchedVia(models.TextChoices):
    """How the person was recognised in the text."""

    SLACK_ID = "slack_id"
    NAME = "name"


class ReplyMention(TenantModel):
    """One person in one outbound message; ``content_sourced`` when the answer rests on something of theirs.

    The database holds both keys with the tenant. Channel and time are the message's, kept here for counting.
    """

    principal = models.ForeignKey(
        Principal, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    conversation = models.ForeignKey(
        ConversationLog, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    channel = models.TextField()
    matched_via = models.TextField(choices=MatchedVia.choices)
    content_sourced = models.BooleanField(default=False, db_default=False)
    mentioned_at = models.DateTimeField()

    class Meta(TenantModel.Meta):
        db_table = "reply_mentions"
        constraints = [
            models.UniqueConstraint(
                name="reply_mentions_once", fields=["tenant", "conversation", "principal"]
            ),
            models.CheckConstraint(name="reply_mentions_channel_known", condition=Q(channel__in=CHANNELS)),
            models.CheckConstraint(
                name="reply_mentions_matched_via_known", condition=Q(matched_via__in=MatchedVia.values)
            ),
        ]
        indexes = [
            models.Index(name="reply_mentions_person", fields=["tenant", "principal", "-mentioned_at"]),
            models.Index(name="reply_mentions_recent", fields=["tenant", "-mentioned_at"]),
        ]

    def __str__(self) -> str:
        return f"{self.channel} {self.matched_via}"
