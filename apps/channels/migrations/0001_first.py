"""What is carried over Slack and by mail (contract §2.1)."""

import uuid

import django.contrib.postgres.fields
import django.contrib.postgres.functions
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("tenancy", "0004_held_by_the_database"),
    ]

    operations = [
        migrations.CreateModel(
            name="EmailLog",
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
                ("direction", models.TextField(db_default="outbound", default="outbound")),
                ("to_email", models.TextField(blank=True, db_default="", default="")),
                (
                    "cc_emails",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, db_default=[], default=list, size=None
                    ),
                ),
                ("subject", models.TextField(blank=True, db_default="", default="")),
                ("body_text", models.TextField(blank=True, db_default="", default="")),
                ("message_id", models.TextField(blank=True, db_default="", default="")),
                ("status", models.TextField(db_default="sent", default="sent")),
                ("error", models.TextField(blank=True, db_default="", default="")),
                ("metadata", models.JSONField(blank=True, db_default={}, default=dict)),
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
                "db_table": "email_logs",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["tenant", "-created_at"], name="email_logs_recent")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("direction__in", ["inbound", "outbound"])),
                        name="email_logs_direction_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SlackLog",
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
                ("direction", models.TextField(db_default="outbound", default="outbound")),
                ("slack_channel_id", models.TextField(blank=True, db_default="", default="")),
                ("slack_user_id", models.TextField(blank=True, db_default="", default="")),
                ("thread_ts", models.TextField(blank=True, db_default="", default="")),
                ("message_ts", models.TextField(blank=True, db_default="", default="")),
                ("body_text", models.TextField(blank=True, db_default="", default="")),
                ("status", models.TextField(db_default="sent", default="sent")),
                ("error", models.TextField(blank=True, db_default="", default="")),
                ("metadata", models.JSONField(blank=True, db_default={}, default=dict)),
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
                "db_table": "slack_logs",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["tenant", "-created_at"], name="slack_logs_recent")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("direction__in", ["inbound", "outbound"])),
                        name="slack_logs_direction_known",
                    )
                ],
            },
        ),
    ]
