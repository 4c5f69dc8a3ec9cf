"""Reactions, how the history of a channel is being read, and when messages were let in (contract §2.5, §15.3)."""

import uuid

import django.contrib.postgres.fields
import django.contrib.postgres.functions
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0003_on_delete"), ("tenancy", "0004_held_by_the_database")]

    operations = [
        migrations.AddField(
            model_name="processedslackmessage",
            name="reaction_count",
            field=models.IntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="slackchannelreach",
            name="threads",
            field=models.JSONField(blank=True, db_default=[], default=list),
        ),
        migrations.AddField(
            model_name="slackchannelreach",
            name="wanted",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.CreateModel(
            name="SlackIngestTurns",
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
                    "scope",
                    models.TextField(
                        choices=[("tenant", "Tenant"), ("platform", "Platform")],
                        db_default="tenant",
                        default="tenant",
                    ),
                ),
                (
                    "turns",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.DateTimeField(), default=list, size=None
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
                "db_table": "slack_ingest_turns",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "scope"), name="slack_ingest_turns_scope"),
                    models.CheckConstraint(
                        condition=models.Q(("scope__in", ["tenant", "platform"])),
                        name="slack_ingest_turns_scope_known",
                    ),
                ],
            },
        ),
    ]
