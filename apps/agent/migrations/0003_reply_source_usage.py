"""Which sources answers rest on (contract §4.6)."""

import uuid

import django.contrib.postgres.functions
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agent", "0002_on_delete"),
        ("tenancy", "0004_held_by_the_database"),
    ]

    operations = [
        migrations.CreateModel(
            name="ReplySourceUsage",
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
                ("run_id", models.UUIDField()),
                (
                    "source_type",
                    models.TextField(
                        choices=[("slack_message", "Slack Message"), ("knowledge_page", "Knowledge Page")]
                    ),
                ),
                ("source_ref", models.TextField()),
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
                "db_table": "reply_source_usage",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(
                        fields=["tenant", "source_type", "source_ref", "-created_at"],
                        name="reply_source_usage_of",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "run_id", "source_type", "source_ref"),
                        name="reply_source_usage_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("source_type__in", ["slack_message", "knowledge_page"])),
                        name="reply_source_usage_type_known",
                    ),
                ],
            },
        ),
    ]
