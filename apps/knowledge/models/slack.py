"""Indexed Slack history: messages, what was distilled from threads, and what their files show (contract §2.5).

Messages change (enrichments, edits), so their vectors keep the default storage; artifacts are written once.
"""

# ruff: noqa: DJ001 - in these columns NULL means "none" or "not yet".

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Coalesce, Now
from pgvector.django import BitField, HalfVectorField, HnswIndex

from apps.knowledge.models.chunks import DIMENSIONS, SignBits
from apps.tenancy.scoping import TenantModel


class MessageWords(models.Func):
    """The words of channel, author and message, as Postgres indexes text."""

    template = (
        "to_tsvector('english'::regconfig, COALESCE(channel_name, '') || ' ' || COALESCE(user_name, '')"
        " || ' ' || message_text)"
    )
    output_field = SearchVectorField()


class DocumentWords(models.Func):
    """The words of a distilled document."""

    template = "to_tsvector('english'::regconfig, document_text)"
    output_field = SearchVectorField()


class Trigrams(models.Func):
    """Every run of three characters of the normalised text; the function is made by the migration."""

    template = "root_trigrams(normalized_text)"
    output_field = ArrayField(models.TextField())


class ProcessedSlackMessage(TenantModel):
    """One public message. ``withdrawn_at`` takes it out of every search."""

    channel_id = models.TextField()
    channel_name = models.TextField(null=True)
    user_id = models.TextField(null=True)
    user_name = models.TextField(null=True)
    message_ts = models.TextField()
    thread_ts = models.TextField(null=True)
    message_text = models.TextField()
    normalized_text = models.TextField(default="", db_default="")
    message_date = models.DateTimeField()
    permalink = models.TextField(null=True)
    embedding = HalfVectorField(dimensions=DIMENSIONS, null=True)
    embedding_bq = models.GeneratedField(
        expression=SignBits("embedding"), output_field=BitField(length=DIMENSIONS), db_persist=True
    )
    embedder = models.CharField(max_length=200, null=True)
    embed_failures = models.PositiveSmallIntegerField(default=0, db_default=0)
    embed_retry_at = models.DateTimeField(null=True)
    search_tsv = models.GeneratedField(
        expression=MessageWords(), output_field=SearchVectorField(), db_persist=True
    )
    trigrams = models.GeneratedField(
        expression=Trigrams(), output_field=ArrayField(models.TextField()), db_persist=True
    )
    extraction_processed_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)
    edited_ts = models.TextField(null=True)
    reaction_count = models.IntegerField(default=0, db_default=0)
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    class Meta(TenantModel.Meta):
        db_table = "processed_slack_messages"
        constraints = [
            models.UniqueConstraint(
                name="processed_slack_messages_ts", fields=["tenant", "channel_id", "message_ts"]
            ),
            models.CheckConstraint(
                name="processed_slack_messages_embedder_known",
                condition=Q(embedding__isnull=True, embedder__isnull=True)
                | Q(embedding__isnull=False, embedder__isnull=False),
            ),
        ]
        indexes = [
            models.Index(
                name="slack_messages_covering",
                fields=["tenant", "embedder"],
                include=["id", "embedding_bq"],
                condition=Q(withdrawn_at__isnull=True),
            ),
            models.Index(name="slack_messages_recent", fields=["tenant", "-message_date"]),
            models.Index(name="slack_messages_thread", fields=["tenant", "channel_id", "thread_ts"]),
            models.Index(name="slack_messages_author", fields=["tenant", "user_id", "-message_date"]),
            models.Index(
                name="slack_messages_to_extract",
                fields=["tenant", "message_date"],
                condition=Q(extraction_processed_at__isnull=True),
            ),
            models.Index(
                name="slack_messages_pending",
                fields=["tenant", "embed_retry_at"],
                condition=Q(embedding__isnull=True),
            ),
            GinIndex(name="slack_messages_words", fields=["search_tsv"]),
            GinIndex(name="slack_messages_trigrams", fields=["trigrams"]),
            HnswIndex(
                name="slack_messages_hnsw",
                fields=["embedding"],
                m=24,
                ef_construction=160,
                opclasses=["halfvec_cosine_ops"],
            ),
        ]

    def __str__(self) -> str:
        return f"{self.channel_id}:{self.message_ts}"


class SlackThreadArtifact(TenantModel):
    """A document distilled from a thread: the whole of it, or one author's burst in it."""

    class Kind(models.TextChoices):
        THREAD = "thread"
        BURST = "burst"

    channel_id = models.TextField()
    channel_name = models.TextField(null=True)
    thread_ts = models.TextField()
    kind = models.TextField(choices=Kind.choices)
    burst_ts = models.TextField(null=True)
    question = models.TextField(default="", db_default="")
    summary = models.TextField(default="", db_default="")
    resolution = models.TextField(default="", db_default="")
    topics = ArrayField(models.TextField(), default=list)
    participant_user_ids = ArrayField(models.TextField(), default=list)
    message_count = models.IntegerField(default=0, db_default=0)
    reaction_count = models.IntegerField(default=0, db_default=0)
    author_user_id = models.TextField(null=True)
    author_name = models.TextField(null=True)
    document_text = models.TextField()
    embedding = HalfVectorField(dimensions=DIMENSIONS, null=True)
    embedding_bq = models.GeneratedField(
        expression=SignBits("embedding"), output_field=BitField(length=DIMENSIONS), db_persist=True
    )
    embedder = models.CharField(max_length=200, null=True)
    embed_failures = models.PositiveSmallIntegerField(default=0, db_default=0)
    embed_retry_at = models.DateTimeField(null=True)
    search_tsv = models.GeneratedField(
        expression=DocumentWords(), output_field=SearchVectorField(), db_persist=True
    )
    permalink = models.TextField(null=True)
    last_message_at = models.DateTimeField(null=True)
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    class Meta(TenantModel.Meta):
        db_table = "slack_thread_artifacts"
        constraints = [
            models.UniqueConstraint(
                "tenant",
                "channel_id",
                "thread_ts",
                "kind",
                Coalesce("burst_ts", models.Value("")),
                name="slack_thread_artifacts_one",
            ),
            models.CheckConstraint(
                name="slack_thread_artifacts_kind_known", condition=Q(kind__in=["thread", "burst"])
            ),
            models.CheckConstraint(
                name="slack_thread_artifacts_embedder_known",
                condition=Q(embedding__isnull=True, embedder__isnull=True)
                | Q(embedding__isnull=False, embedder__isnull=False),
            ),
        ]
        indexes = [
            models.Index(
                name="slack_artifacts_covering", fields=["tenant", "embedder"], include=["id", "embedding_bq"]
            ),
            models.Index(
                name="slack_artifacts_pending",
                fields=["tenant", "embed_retry_at"],
                condition=Q(embedding__isnull=True),
            ),
            GinIndex(name="slack_artifacts_words", fields=["search_tsv"]),
            HnswIndex(
                name="slack_artifacts_hnsw",
                fields=["embedding"],
                m=24,
                ef_construction=160,
                opclasses=["halfvec_cosine_ops"],
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.channel_id}:{self.thread_ts}"


class SlackMessageEnrichment(TenantModel):
    """What a model saw in a message's files and pictures."""

    channel_id = models.TextField()
    message_ts = models.TextField()
    summary = models.TextField()

    class Meta(TenantModel.Meta):
        db_table = "slack_message_enrichments"
        constraints = [
            models.UniqueConstraint(
                name="slack_message_enrichments_ts", fields=["tenant", "channel_id", "message_ts"]
            )
        ]

    def __str__(self) -> str:
        return f"{self.channel_id}:{self.message_ts}"


class SlackChannelReach(TenantModel):
    """How far back the index of one channel reaches, and how its backfill stands."""

    channel_id = models.TextField()
    channel_name = models.TextField(default="", db_default="")
    oldest_ts = models.TextField(null=True)
    newest_ts = models.TextField(null=True)
    cursor = models.TextField(null=True)
    threads = models.JSONField(default=list, db_default=[], blank=True)
    """Threads of the pages read so far whose replies are still to be read: ``[thread_ts, cursor]``."""
    wanted = models.BooleanField(default=False, db_default=False)
    """Is its history being read, or waiting to be?"""
    complete = models.BooleanField(default=False, db_default=False)
    messages_seen = models.IntegerField(default=0, db_default=0)
    paused_until = models.DateTimeField(null=True)
    last_error = models.TextField(default="", db_default="")
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    class Meta(TenantModel.Meta):
        db_table = "slack_channel_reach"
        constraints = [
            models.UniqueConstraint(name="slack_channel_reach_channel", fields=["tenant", "channel_id"])
        ]

    def __str__(self) -> str:
        return self.channel_name or self.channel_id


class SlackIngestTurns(TenantModel):
    """When the last messages were let in, so that no minute sees too many (contract §15.3).

    The root tenant's ``platform`` row speaks for all communities together.
    """

    class Whose(models.TextChoices):
        TENANT = "tenant"
        PLATFORM = "platform"

    scope = models.TextField(choices=Whose.choices, default=Whose.TENANT, db_default="tenant")
    turns = ArrayField(models.DateTimeField(), default=list)

    class Meta(TenantModel.Meta):
        db_table = "slack_ingest_turns"
        constraints = [
            models.UniqueConstraint(name="slack_ingest_turns_scope", fields=["tenant", "scope"]),
            models.CheckConstraint(
                name="slack_ingest_turns_scope_known", condition=Q(scope__in=["tenant", "platform"])
            ),
        ]

    def __str__(self) -> str:
        return self.scope
