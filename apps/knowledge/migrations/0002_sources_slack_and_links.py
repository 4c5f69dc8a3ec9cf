"""Sources and their runs, the trash, word frequencies, the Slack index, and personal links (contract §2.5)."""

import uuid

import django.contrib.postgres.fields
import django.contrib.postgres.functions
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.functions.comparison
import django.db.models.functions.datetime
import pgvector.django.bit
import pgvector.django.halfvec
import pgvector.django.indexes
from django.db import migrations, models

import apps.knowledge.models.chunks
import apps.knowledge.models.slack

# Both name their schema nowhere and read no table, so that generated columns may rest on them.
FUNCTIONS = """
CREATE FUNCTION root_word_count(words tsvector) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (SELECT COALESCE(sum(cardinality(found.positions)), 0)::integer FROM unnest(words) AS found);
CREATE FUNCTION root_trigrams(given text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (SELECT COALESCE(array_agg(DISTINCT substr(given, at, 3)), '{}'::text[])
            FROM generate_series(1, char_length(given) - 2) AS at);
"""
UNDO_FUNCTIONS = "DROP FUNCTION root_trigrams(text); DROP FUNCTION root_word_count(tsvector);"
# Artifacts are written once and scanned exactly, like chunks; set before data arrives.
STORAGE = """
ALTER TABLE slack_thread_artifacts
    ALTER COLUMN embedding SET STORAGE PLAIN, ALTER COLUMN embedding_bq SET STORAGE PLAIN;
ALTER TABLE slack_thread_artifacts SET (autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE processed_slack_messages SET (autovacuum_vacuum_insert_scale_factor = 0.02);
"""
# A run or a page and its source belong to the same tenant.
KEYS = """
ALTER TABLE knowledge_sync_runs ADD CONSTRAINT knowledge_sync_runs_source_of_tenant
    FOREIGN KEY (tenant_id, source_id) REFERENCES knowledge_sources (tenant_id, id)
    ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE knowledge_pages ADD CONSTRAINT knowledge_pages_source_of_tenant
    FOREIGN KEY (tenant_id, knowledge_source_id) REFERENCES knowledge_sources (tenant_id, id)
    ON DELETE SET NULL (knowledge_source_id) DEFERRABLE INITIALLY DEFERRED;
"""
UNDO_KEYS = """
ALTER TABLE knowledge_pages DROP CONSTRAINT knowledge_pages_source_of_tenant;
ALTER TABLE knowledge_sync_runs DROP CONSTRAINT knowledge_sync_runs_source_of_tenant;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("knowledge", "0001_pages_and_chunks"),
        ("tenancy", "0004_held_by_the_database"),
    ]

    operations = [
        migrations.RunSQL(FUNCTIONS, UNDO_FUNCTIONS),
        migrations.AddField(
            model_name="knowledgechunk",
            name="doc_len",
            field=models.GeneratedField(
                db_persist=True,
                expression=apps.knowledge.models.chunks.WordCount("metadata"),
                output_field=models.IntegerField(),
            ),
        ),
        migrations.CreateModel(
            name="KnowledgeSource",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=django.contrib.postgres.functions.RandomUUID(),
                        default=uuid.uuid4,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=django.db.models.functions.datetime.Now()
                    ),
                ),
                ("source_key", models.TextField()),
                ("name", models.TextField()),
                (
                    "source_kind",
                    models.TextField(
                        choices=[
                            ("web_page", "Web Page"),
                            ("api_pull", "Api Pull"),
                            ("webhook", "Webhook"),
                            ("api_push", "Api Push"),
                        ]
                    ),
                ),
                (
                    "status",
                    models.TextField(
                        choices=[("active", "Active"), ("paused", "Paused"), ("error", "Error")],
                        db_default="active",
                        default="active",
                    ),
                ),
                ("url", models.TextField(null=True)),
                ("http_method", models.TextField(db_default="GET", default="GET")),
                ("request_headers", models.JSONField(db_default={}, default=dict)),
                ("request_body", models.JSONField(null=True)),
                ("auth_type", models.TextField(db_default="none", default="none")),
                ("auth_config", models.JSONField(db_default={}, default=dict)),
                ("secrets", models.JSONField(db_default={}, default=dict)),
                ("response_mode", models.TextField(db_default="auto", default="auto")),
                ("mapping", models.JSONField(db_default={}, default=dict)),
                ("schedule_interval_minutes", models.IntegerField(null=True)),
                ("next_sync_at", models.DateTimeField(null=True)),
                ("replace_missing", models.BooleanField(db_default=False, default=False)),
                ("ai_cleanup", models.BooleanField(db_default=False, default=False)),
                ("ai_cleanup_instructions", models.TextField(null=True)),
                (
                    "audience_tiers",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), null=True, size=None
                    ),
                ),
                ("consecutive_failures", models.IntegerField(db_default=0, default=0)),
                ("last_synced_at", models.DateTimeField(null=True)),
                ("last_error", models.TextField(db_default="", default="")),
                (
                    "updated_at",
                    models.DateTimeField(auto_now=True, db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.tenant",
                    ),
                ),
            ],
            options={
                "db_table": "knowledge_sources",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="KnowledgeSyncRun",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=django.contrib.postgres.functions.RandomUUID(),
                        default=uuid.uuid4,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=django.db.models.functions.datetime.Now()
                    ),
                ),
                (
                    "trigger_type",
                    models.TextField(
                        choices=[
                            ("manual", "Manual"),
                            ("schedule", "Schedule"),
                            ("api", "Api"),
                            ("webhook", "Webhook"),
                        ]
                    ),
                ),
                (
                    "status",
                    models.TextField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("succeeded", "Succeeded"),
                            ("triggered", "Triggered"),
                            ("failed", "Failed"),
                        ],
                        db_default="queued",
                        default="queued",
                    ),
                ),
                ("documents_received", models.IntegerField(db_default=0, default=0)),
                ("pages_created", models.IntegerField(db_default=0, default=0)),
                ("pages_updated", models.IntegerField(db_default=0, default=0)),
                ("pages_unchanged", models.IntegerField(db_default=0, default=0)),
                ("pages_deleted", models.IntegerField(db_default=0, default=0)),
                ("ai_cleaned", models.IntegerField(db_default=0, default=0)),
                ("input_payload", models.JSONField(db_default={}, default=dict)),
                ("metadata", models.JSONField(db_default={}, default=dict)),
                ("http_status", models.IntegerField(null=True)),
                ("error", models.TextField(null=True)),
                ("queue_job_id", models.UUIDField(null=True)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "source",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="runs",
                        to="knowledge.knowledgesource",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.tenant",
                    ),
                ),
            ],
            options={
                "db_table": "knowledge_sync_runs",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="KnowledgeTrash",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=django.contrib.postgres.functions.RandomUUID(),
                        default=uuid.uuid4,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=django.db.models.functions.datetime.Now()
                    ),
                ),
                ("slug", models.TextField()),
                ("title", models.TextField()),
                ("knowledge_source_id", models.UUIDField(null=True)),
                ("external_id", models.TextField(null=True)),
                ("page", models.JSONField(default=dict)),
                ("deleted_by", models.TextField(db_default="", default="")),
                ("reason", models.TextField(db_default="", default="")),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.tenant",
                    ),
                ),
            ],
            options={
                "db_table": "knowledge_trash",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="ProcessedSlackMessage",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=django.contrib.postgres.functions.RandomUUID(),
                        default=uuid.uuid4,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=django.db.models.functions.datetime.Now()
                    ),
                ),
                ("channel_id", models.TextField()),
                ("channel_name", models.TextField(null=True)),
                ("user_id", models.TextField(null=True)),
                ("user_name", models.TextField(null=True)),
                ("message_ts", models.TextField()),
                ("thread_ts", models.TextField(null=True)),
                ("message_text", models.TextField()),
                ("normalized_text", models.TextField(db_default="", default="")),
                ("message_date", models.DateTimeField()),
                ("permalink", models.TextField(null=True)),
                ("embedding", pgvector.django.halfvec.HalfVectorField(dimensions=3072, null=True)),
                (
                    "embedding_bq",
                    models.GeneratedField(
                        db_persist=True,
                        expression=apps.knowledge.models.chunks.SignBits("embedding"),
                        output_field=pgvector.django.bit.BitField(length=3072),
                    ),
                ),
                ("embedder", models.CharField(max_length=200, null=True)),
                ("embed_failures", models.PositiveSmallIntegerField(db_default=0, default=0)),
                ("embed_retry_at", models.DateTimeField(null=True)),
                (
                    "search_tsv",
                    models.GeneratedField(
                        db_persist=True,
                        expression=apps.knowledge.models.slack.MessageWords(),
                        output_field=django.contrib.postgres.search.SearchVectorField(),
                    ),
                ),
                (
                    "trigrams",
                    models.GeneratedField(
                        db_persist=True,
                        expression=apps.knowledge.models.slack.Trigrams(),
                        output_field=django.contrib.postgres.fields.ArrayField(
                            base_field=models.TextField(), size=None
                        ),
                    ),
                ),
                ("extraction_processed_at", models.DateTimeField(null=True)),
                ("withdrawn_at", models.DateTimeField(null=True)),
                ("edited_ts", models.TextField(null=True)),
                (
                    "updated_at",
                    models.DateTimeField(auto_now=True, db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.tenant",
                    ),
                ),
            ],
            options={
                "db_table": "processed_slack_messages",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="SlackChannelReach",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=django.contrib.postgres.functions.RandomUUID(),
                        default=uuid.uuid4,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=django.db.models.functions.datetime.Now()
                    ),
                ),
                ("channel_id", models.TextField()),
                ("channel_name", models.TextField(db_default="", default="")),
                ("oldest_ts", models.TextField(null=True)),
                ("newest_ts", models.TextField(null=True)),
                ("cursor", models.TextField(null=True)),
                ("complete", models.BooleanField(db_default=False, default=False)),
                ("messages_seen", models.IntegerField(db_default=0, default=0)),
                ("paused_until", models.DateTimeField(null=True)),
                ("last_error", models.TextField(db_default="", default="")),
                (
                    "updated_at",
                    models.DateTimeField(auto_now=True, db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.tenant",
                    ),
                ),
            ],
            options={
                "db_table": "slack_channel_reach",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="SlackExtractionState",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=django.contrib.postgres.functions.RandomUUID(),
                        default=uuid.uuid4,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=django.db.models.functions.datetime.Now()
                    ),
                ),
                ("watermark", models.DateTimeField(null=True)),
                (
                    "updated_at",
                    models.DateTimeField(auto_now=True, db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.tenant",
                    ),
                ),
            ],
            options={
                "db_table": "slack_extraction_state",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="SlackKnowledgeExtraction",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=django.contrib.postgres.functions.RandomUUID(),
                        default=uuid.uuid4,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=django.db.models.functions.datetime.Now()
                    ),
                ),
                (
                    "status",
                    models.TextField(
                        choices=[
                            ("pending", "Pending"),
                            ("approved", "Approved"),
                            ("rejected", "Rejected"),
                            ("merged", "Merged"),
                            ("duplicate", "Duplicate"),
                        ],
                        db_default="pending",
                        default="pending",
                    ),
                ),
                ("title", models.TextField()),
                ("content", models.TextField()),
                ("category", models.TextField(db_default="", default="")),
                ("author_user_id", models.TextField(null=True)),
                ("author_name", models.TextField(db_default="", default="")),
                ("channel_id", models.TextField()),
                ("message_ts", models.TextField()),
                (
                    "source_refs",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), default=list, size=None
                    ),
                ),
                ("confidence_score", models.FloatField(null=True)),
                ("review_reason", models.TextField(db_default="", default="")),
                ("auto_reviewed_at", models.DateTimeField(null=True)),
                (
                    "updated_at",
                    models.DateTimeField(auto_now=True, db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.tenant",
                    ),
                ),
            ],
            options={
                "db_table": "slack_knowledge_extractions",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="SlackMessageEnrichment",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=django.contrib.postgres.functions.RandomUUID(),
                        default=uuid.uuid4,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=django.db.models.functions.datetime.Now()
                    ),
                ),
                ("channel_id", models.TextField()),
                ("message_ts", models.TextField()),
                ("summary", models.TextField()),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.tenant",
                    ),
                ),
            ],
            options={
                "db_table": "slack_message_enrichments",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="SlackThreadArtifact",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=django.contrib.postgres.functions.RandomUUID(),
                        default=uuid.uuid4,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=django.db.models.functions.datetime.Now()
                    ),
                ),
                ("channel_id", models.TextField()),
                ("channel_name", models.TextField(null=True)),
                ("thread_ts", models.TextField()),
                ("kind", models.TextField(choices=[("thread", "Thread"), ("burst", "Burst")])),
                ("burst_ts", models.TextField(null=True)),
                ("question", models.TextField(db_default="", default="")),
                ("summary", models.TextField(db_default="", default="")),
                ("resolution", models.TextField(db_default="", default="")),
                (
                    "topics",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), default=list, size=None
                    ),
                ),
                (
                    "participant_user_ids",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), default=list, size=None
                    ),
                ),
                ("message_count", models.IntegerField(db_default=0, default=0)),
                ("reaction_count", models.IntegerField(db_default=0, default=0)),
                ("author_user_id", models.TextField(null=True)),
                ("author_name", models.TextField(null=True)),
                ("document_text", models.TextField()),
                ("embedding", pgvector.django.halfvec.HalfVectorField(dimensions=3072, null=True)),
                (
                    "embedding_bq",
                    models.GeneratedField(
                        db_persist=True,
                        expression=apps.knowledge.models.chunks.SignBits("embedding"),
                        output_field=pgvector.django.bit.BitField(length=3072),
                    ),
                ),
                ("embedder", models.CharField(max_length=200, null=True)),
                ("embed_failures", models.PositiveSmallIntegerField(db_default=0, default=0)),
                ("embed_retry_at", models.DateTimeField(null=True)),
                (
                    "search_tsv",
                    models.GeneratedField(
                        db_persist=True,
                        expression=apps.knowledge.models.slack.DocumentWords(),
                        output_field=django.contrib.postgres.search.SearchVectorField(),
                    ),
                ),
                ("permalink", models.TextField(null=True)),
                ("last_message_at", models.DateTimeField(null=True)),
                (
                    "updated_at",
                    models.DateTimeField(auto_now=True, db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.tenant",
                    ),
                ),
            ],
            options={
                "db_table": "slack_thread_artifacts",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="WebBrowserSession",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=django.contrib.postgres.functions.RandomUUID(),
                        default=uuid.uuid4,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=django.db.models.functions.datetime.Now()
                    ),
                ),
                ("token_hash", models.TextField(unique=True)),
                ("expires_at", models.DateTimeField()),
                ("last_seen_at", models.DateTimeField(null=True)),
                (
                    "principal",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.principal",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.tenant",
                    ),
                ),
            ],
            options={
                "db_table": "web_browser_sessions",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="WebLinkToken",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=django.contrib.postgres.functions.RandomUUID(),
                        default=uuid.uuid4,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=django.db.models.functions.datetime.Now()
                    ),
                ),
                ("destination", models.TextField(db_default="", default="")),
                ("token_hash", models.TextField(unique=True)),
                ("expires_at", models.DateTimeField()),
                ("bound_at", models.DateTimeField(null=True)),
                (
                    "browser_session",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="knowledge.webbrowsersession",
                    ),
                ),
                (
                    "page",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="knowledge.knowledgepage",
                    ),
                ),
                (
                    "principal",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.principal",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.tenant",
                    ),
                ),
            ],
            options={
                "db_table": "web_link_tokens",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="KeywordFrequency",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=django.contrib.postgres.functions.RandomUUID(),
                        default=uuid.uuid4,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=django.db.models.functions.datetime.Now()
                    ),
                ),
                ("lexeme", models.TextField()),
                ("ndoc", models.IntegerField()),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.tenant",
                    ),
                ),
            ],
            options={
                "db_table": "keyword_df",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "lexeme"), name="keyword_df_lexeme")
                ],
            },
        ),
        migrations.CreateModel(
            name="KeywordStats",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=django.contrib.postgres.functions.RandomUUID(),
                        default=uuid.uuid4,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=django.db.models.functions.datetime.Now()
                    ),
                ),
                ("n", models.IntegerField()),
                ("avgdl", models.FloatField()),
                ("chunks_at_refresh", models.IntegerField()),
                ("refreshed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.tenant",
                    ),
                ),
            ],
            options={
                "db_table": "keyword_stats",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant",), name="keyword_stats_one_a_tenant")
                ],
            },
        ),
        migrations.AddIndex(
            model_name="knowledgesource",
            index=models.Index(
                condition=models.Q(("schedule_interval_minutes__isnull", False), ("status", "active")),
                fields=["next_sync_at"],
                name="knowledge_sources_due",
            ),
        ),
        migrations.AddConstraint(
            model_name="knowledgesource",
            constraint=models.UniqueConstraint(fields=("tenant", "source_key"), name="knowledge_sources_key"),
        ),
        migrations.AddConstraint(
            model_name="knowledgesource",
            constraint=models.UniqueConstraint(fields=("tenant", "id"), name="knowledge_sources_tenant_id"),
        ),
        migrations.AddConstraint(
            model_name="knowledgesource",
            constraint=models.CheckConstraint(
                condition=models.Q(("source_kind__in", ["web_page", "api_pull", "webhook", "api_push"])),
                name="knowledge_sources_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="knowledgesource",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["active", "paused", "error"])),
                name="knowledge_sources_status_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="knowledgesource",
            constraint=models.CheckConstraint(
                condition=models.Q(("http_method__in", ["GET", "POST"])),
                name="knowledge_sources_method_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="knowledgesource",
            constraint=models.CheckConstraint(
                condition=models.Q(("auth_type__in", ["none", "bearer", "basic", "api_key"])),
                name="knowledge_sources_auth_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="knowledgesource",
            constraint=models.CheckConstraint(
                condition=models.Q(("response_mode__in", ["auto", "html", "text", "json"])),
                name="knowledge_sources_mode_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="knowledgesource",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("schedule_interval_minutes__isnull", True),
                    ("schedule_interval_minutes__range", (5, 43200)),
                    _connector="OR",
                ),
                name="knowledge_sources_interval",
            ),
        ),
        migrations.AddIndex(
            model_name="knowledgesyncrun",
            index=models.Index(fields=["tenant", "source", "-created_at"], name="knowledge_sync_runs_recent"),
        ),
        migrations.AddIndex(
            model_name="knowledgesyncrun",
            index=models.Index(
                condition=models.Q(("status", "running")),
                fields=["started_at"],
                name="knowledge_sync_runs_going",
            ),
        ),
        migrations.AddConstraint(
            model_name="knowledgesyncrun",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status", "running")),
                fields=("source",),
                name="knowledge_sync_runs_one_running",
            ),
        ),
        migrations.AddConstraint(
            model_name="knowledgesyncrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("trigger_type__in", ["manual", "schedule", "api", "webhook"])),
                name="knowledge_sync_runs_trigger_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="knowledgesyncrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["queued", "running", "succeeded", "triggered", "failed"])),
                name="knowledge_sync_runs_status_known",
            ),
        ),
        migrations.AddIndex(
            model_name="knowledgetrash",
            index=models.Index(fields=["tenant", "-created_at"], name="knowledge_trash_recent"),
        ),
        migrations.AddIndex(
            model_name="knowledgetrash",
            index=models.Index(
                fields=["tenant", "knowledge_source_id", "external_id"], name="knowledge_trash_external"
            ),
        ),
        migrations.AddIndex(
            model_name="knowledgetrash",
            index=models.Index(fields=["created_at"], name="knowledge_trash_age"),
        ),
        migrations.AddIndex(
            model_name="processedslackmessage",
            index=models.Index(
                condition=models.Q(("withdrawn_at__isnull", True)),
                fields=["tenant", "embedder"],
                include=("id", "embedding_bq"),
                name="slack_messages_covering",
            ),
        ),
        migrations.AddIndex(
            model_name="processedslackmessage",
            index=models.Index(fields=["tenant", "-message_date"], name="slack_messages_recent"),
        ),
        migrations.AddIndex(
            model_name="processedslackmessage",
            index=models.Index(fields=["tenant", "channel_id", "thread_ts"], name="slack_messages_thread"),
        ),
        migrations.AddIndex(
            model_name="processedslackmessage",
            index=models.Index(fields=["tenant", "user_id", "-message_date"], name="slack_messages_author"),
        ),
        migrations.AddIndex(
            model_name="processedslackmessage",
            index=models.Index(
                condition=models.Q(("extraction_processed_at__isnull", True)),
                fields=["tenant", "message_date"],
                name="slack_messages_to_extract",
            ),
        ),
        migrations.AddIndex(
            model_name="processedslackmessage",
            index=models.Index(
                condition=models.Q(("embedding__isnull", True)),
                fields=["tenant", "embed_retry_at"],
                name="slack_messages_pending",
            ),
        ),
        migrations.AddIndex(
            model_name="processedslackmessage",
            index=django.contrib.postgres.indexes.GinIndex(
                fields=["search_tsv"], name="slack_messages_words"
            ),
        ),
        migrations.AddIndex(
            model_name="processedslackmessage",
            index=django.contrib.postgres.indexes.GinIndex(
                fields=["trigrams"], name="slack_messages_trigrams"
            ),
        ),
        migrations.AddIndex(
            model_name="processedslackmessage",
            index=pgvector.django.indexes.HnswIndex(
                ef_construction=160,
                fields=["embedding"],
                m=24,
                name="slack_messages_hnsw",
                opclasses=["halfvec_cosine_ops"],
            ),
        ),
        migrations.AddConstraint(
            model_name="processedslackmessage",
            constraint=models.UniqueConstraint(
                fields=("tenant", "channel_id", "message_ts"), name="processed_slack_messages_ts"
            ),
        ),
        migrations.AddConstraint(
            model_name="processedslackmessage",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("embedder__isnull", True), ("embedding__isnull", True)),
                    models.Q(("embedder__isnull", False), ("embedding__isnull", False)),
                    _connector="OR",
                ),
                name="processed_slack_messages_embedder_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="slackchannelreach",
            constraint=models.UniqueConstraint(
                fields=("tenant", "channel_id"), name="slack_channel_reach_channel"
            ),
        ),
        migrations.AddConstraint(
            model_name="slackextractionstate",
            constraint=models.UniqueConstraint(fields=("tenant",), name="slack_extraction_state_one"),
        ),
        migrations.AddIndex(
            model_name="slackknowledgeextraction",
            index=models.Index(fields=["tenant", "status", "-created_at"], name="slack_extractions_recent"),
        ),
        migrations.AddIndex(
            model_name="slackknowledgeextraction",
            index=models.Index(fields=["tenant", "author_user_id"], name="slack_extractions_author"),
        ),
        migrations.AddConstraint(
            model_name="slackknowledgeextraction",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("status__in", ["pending", "approved", "rejected", "merged", "duplicate"])
                ),
                name="slack_knowledge_extractions_status_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="slackknowledgeextraction",
            constraint=models.UniqueConstraint(
                fields=("tenant", "channel_id", "message_ts", "title"),
                name="slack_knowledge_extractions_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="slackmessageenrichment",
            constraint=models.UniqueConstraint(
                fields=("tenant", "channel_id", "message_ts"), name="slack_message_enrichments_ts"
            ),
        ),
        migrations.AddIndex(
            model_name="slackthreadartifact",
            index=models.Index(
                fields=["tenant", "embedder"], include=("id", "embedding_bq"), name="slack_artifacts_covering"
            ),
        ),
        migrations.AddIndex(
            model_name="slackthreadartifact",
            index=models.Index(
                condition=models.Q(("embedding__isnull", True)),
                fields=["tenant", "embed_retry_at"],
                name="slack_artifacts_pending",
            ),
        ),
        migrations.AddIndex(
            model_name="slackthreadartifact",
            index=django.contrib.postgres.indexes.GinIndex(
                fields=["search_tsv"], name="slack_artifacts_words"
            ),
        ),
        migrations.AddIndex(
            model_name="slackthreadartifact",
            index=pgvector.django.indexes.HnswIndex(
                ef_construction=160,
                fields=["embedding"],
                m=24,
                name="slack_artifacts_hnsw",
                opclasses=["halfvec_cosine_ops"],
            ),
        ),
        migrations.AddConstraint(
            model_name="slackthreadartifact",
            constraint=models.UniqueConstraint(
                models.F("tenant"),
                models.F("channel_id"),
                models.F("thread_ts"),
                models.F("kind"),
                django.db.models.functions.comparison.Coalesce("burst_ts", models.Value("")),
                name="slack_thread_artifacts_one",
            ),
        ),
        migrations.AddConstraint(
            model_name="slackthreadartifact",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["thread", "burst"])),
                name="slack_thread_artifacts_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="slackthreadartifact",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("embedder__isnull", True), ("embedding__isnull", True)),
                    models.Q(("embedder__isnull", False), ("embedding__isnull", False)),
                    _connector="OR",
                ),
                name="slack_thread_artifacts_embedder_known",
            ),
        ),
        migrations.AddIndex(
            model_name="webbrowsersession",
            index=models.Index(fields=["tenant", "principal"], name="web_browser_sessions_person"),
        ),
        migrations.AddIndex(
            model_name="webbrowsersession",
            index=models.Index(fields=["expires_at"], name="web_browser_sessions_end"),
        ),
        migrations.AddIndex(
            model_name="weblinktoken",
            index=models.Index(fields=["tenant", "principal"], name="web_link_tokens_person"),
        ),
        migrations.AddIndex(
            model_name="weblinktoken",
            index=models.Index(fields=["page"], name="web_link_tokens_page"),
        ),
        migrations.AddIndex(
            model_name="weblinktoken",
            index=models.Index(fields=["expires_at"], name="web_link_tokens_end"),
        ),
        migrations.AddConstraint(
            model_name="weblinktoken",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("browser_session__isnull", True), ("bound_at__isnull", False), _connector="OR"
                ),
                name="web_link_tokens_bound_once",
            ),
        ),
        migrations.RunSQL(STORAGE, migrations.RunSQL.noop),
        migrations.RunSQL(KEYS, UNDO_KEYS),
    ]
