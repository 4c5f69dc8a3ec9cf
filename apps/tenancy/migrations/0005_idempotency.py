"""Requests that programs may send twice."""

import uuid

import django.contrib.postgres.functions
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0004_held_by_the_database"),
    ]

    operations = [
        migrations.CreateModel(
            name="IdempotentRequest",
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
                ("operation", models.TextField()),
                ("key", models.TextField()),
                ("fingerprint", models.TextField()),
                ("status", models.IntegerField(null=True)),
                ("answer", models.JSONField(null=True)),
                ("claimed_at", models.DateTimeField()),
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
                "db_table": "idempotent_requests",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["created_at"], name="idempotent_requests_age")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "operation", "key"), name="idempotent_requests_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status__isnull", False), ("answer__isnull", True), _connector="OR"
                        ),
                        name="idempotent_requests_answer_with_status",
                    ),
                ],
            },
        ),
    ]
