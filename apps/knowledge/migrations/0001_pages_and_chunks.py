"""Pages and chunks (contract §2.5)."""

import uuid

import django.contrib.postgres.fields
import django.contrib.postgres.functions
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.functions.datetime
import pgvector.django.bit
import pgvector.django.halfvec
import pgvector.django.indexes
from django.db import migrations, models

import apps.knowledge.models.chunks
import apps.knowledge.models.pages


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("tenancy", "0001_first"),
    ]

    operations = [
        migrations.CreateModel(
            name="KnowledgePage",
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
                ("source_url", models.TextField(null=True)),
                ("content_html", models.TextField()),
                ("content_text", models.TextField(default="")),
                ("author_name", models.TextField(null=True)),
                ("author_member_id", models.TextField(null=True)),
                ("knowledge_date", models.DateField(null=True)),
                ("source_type", models.TextField(default="manual")),
                ("source_message_text", models.TextField(null=True)),
                (
                    "public_id",
                    models.CharField(
                        default=apps.knowledge.models.pages.new_public_id, editable=False, max_length=16
                    ),
                ),
                ("is_public", models.BooleanField(default=False)),
                (
                    "audience_tiers",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), null=True, size=None
                    ),
                ),
                ("refresh_frequency", models.TextField(null=True)),
                ("extracted_knowledge_id", models.UUIDField(null=True)),
                ("knowledge_source_id", models.UUIDField(null=True)),
                ("external_id", models.TextField(null=True)),
                ("content_hash", models.TextField(null=True)),
                ("raw_content_hash", models.TextField(null=True)),
                ("last_synced_at", models.DateTimeField(null=True)),
                ("fetched_at", models.DateTimeField(null=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
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
                "db_table": "knowledge_pages",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="KnowledgeChunk",
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
                ("chunk_index", models.PositiveIntegerField()),
                ("chunk_text", models.TextField()),
                ("metadata", models.JSONField(default=dict)),
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
                ("embed_failures", models.PositiveSmallIntegerField(default=0)),
                ("embed_retry_at", models.DateTimeField(null=True)),
                (
                    "search_tsv",
                    models.GeneratedField(
                        db_persist=True,
                        expression=apps.knowledge.models.chunks.TitleAndText("metadata"),
                        output_field=django.contrib.postgres.search.SearchVectorField(),
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
                (
                    "knowledge_page",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="chunks",
                        to="knowledge.knowledgepage",
                    ),
                ),
            ],
            options={
                "db_table": "knowledge_chunks",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.AddIndex(
            model_name="knowledgepage",
            index=models.Index(
                condition=models.Q(("is_public", True)), fields=["tenant"], name="knowledge_pages_public"
            ),
        ),
        migrations.AddIndex(
            model_name="knowledgepage",
            index=models.Index(
                fields=["tenant", "source_type"],
                include=("id", "audience_tiers"),
                name="knowledge_pages_audience",
            ),
        ),
        migrations.AddConstraint(
            model_name="knowledgepage",
            constraint=models.UniqueConstraint(fields=("tenant", "slug"), name="knowledge_pages_slug"),
        ),
        migrations.AddConstraint(
            model_name="knowledgepage",
            constraint=models.UniqueConstraint(
                fields=("tenant", "public_id"), name="knowledge_pages_public_id"
            ),
        ),
        migrations.AddConstraint(
            model_name="knowledgepage",
            constraint=models.UniqueConstraint(fields=("tenant", "id"), name="knowledge_pages_tenant_id"),
        ),
        migrations.AddConstraint(
            model_name="knowledgepage",
            constraint=models.UniqueConstraint(
                condition=models.Q(("external_id__isnull", False), ("knowledge_source_id__isnull", False)),
                fields=("tenant", "knowledge_source_id", "external_id"),
                name="knowledge_pages_external_id",
            ),
        ),
        migrations.AddIndex(
            model_name="knowledgechunk",
            index=models.Index(
                fields=["tenant", "embedder"],
                include=("id", "knowledge_page", "embedding_bq"),
                name="knowledge_chunks_covering",
            ),
        ),
        migrations.AddIndex(
            model_name="knowledgechunk",
            index=models.Index(
                condition=models.Q(("embedding__isnull", True)),
                fields=["tenant", "embed_retry_at"],
                name="knowledge_chunks_pending",
            ),
        ),
        migrations.AddIndex(
            model_name="knowledgechunk",
            index=django.contrib.postgres.indexes.GinIndex(
                fields=["search_tsv"], name="knowledge_chunks_words"
            ),
        ),
        migrations.AddIndex(
            model_name="knowledgechunk",
            index=pgvector.django.indexes.HnswIndex(
                ef_construction=160,
                fields=["embedding"],
                m=24,
                name="knowledge_chunks_hnsw",
                opclasses=["halfvec_cosine_ops"],
            ),
        ),
        migrations.AddConstraint(
            model_name="knowledgechunk",
            constraint=models.UniqueConstraint(
                fields=("knowledge_page", "chunk_index"), name="knowledge_chunks_index"
            ),
        ),
        migrations.AddConstraint(
            model_name="knowledgechunk",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("embedder__isnull", True), ("embedding__isnull", True)),
                    models.Q(("embedder__isnull", False), ("embedding__isnull", False)),
                    _connector="OR",
                ),
                name="knowledge_chunks_embedder_known",
            ),
        ),
        # An exact scan then reads the vectors with the row; set before data arrives, since it rewrites nothing.
        migrations.RunSQL(
            """
            ALTER TABLE knowledge_chunks
                ALTER COLUMN embedding SET STORAGE PLAIN,
                ALTER COLUMN embedding_bq SET STORAGE PLAIN;
            """,
            migrations.RunSQL.noop,
        ),
        # Index-only scans need pages that vacuum has seen, also where rows are only ever inserted.
        migrations.RunSQL(
            "ALTER TABLE knowledge_chunks SET (autovacuum_vacuum_insert_scale_factor = 0.02);",
            migrations.RunSQL.noop,
        ),
        # A chunk and its page belong to the same tenant.
        migrations.RunSQL(
            """
            ALTER TABLE knowledge_chunks ADD CONSTRAINT knowledge_chunks_page_of_tenant
                FOREIGN KEY (tenant_id, knowledge_page_id) REFERENCES knowledge_pages (tenant_id, id)
                ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
            """,
            "ALTER TABLE knowledge_chunks DROP CONSTRAINT knowledge_chunks_page_of_tenant;",
        ),
    ]
