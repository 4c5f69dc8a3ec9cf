"""Whom answers named, and indexes for the lists programs read (contract §2.4, §12.2)."""

import uuid

import django.contrib.postgres.functions
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agent", "0004_on_delete"),
        ("tenancy", "0007_principals_of_tenant"),
    ]

    operations = [
        migrations.CreateModel(
            name="ReplyMention",
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
                ("channel", models.TextField()),
                ("matched_via", models.TextField(choices=[("slack_id", "Slack Id"), ("name", "Name")])),
                ("content_sourced", models.BooleanField(db_default=False, default=False)),
                ("mentioned_at", models.DateTimeField()),
            ],
            options={
                "db_table": "reply_mentions",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.AddIndex(
            model_name="conversationlog",
            index=models.Index(fields=["tenant", "channel", "-message_at"], name="conversation_logs_channel"),
        ),
        migrations.AddIndex(
            model_name="conversationlog",
            index=models.Index(
                fields=["tenant", "principal", "-message_at"], name="conversation_logs_person"
            ),
        ),
        migrations.AddIndex(
            model_name="humanintervention",
            index=models.Index(fields=["tenant", "-created_at"], name="human_interventions_latest"),
        ),
        migrations.AddConstraint(
            model_name="conversationlog",
            constraint=models.UniqueConstraint(fields=("tenant", "id"), name="conversation_logs_tenant_id"),
        ),
        migrations.AddField(
            model_name="replymention",
            name="conversation",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="agent.conversationlog",
            ),
        ),
        migrations.AddField(
            model_name="replymention",
            name="principal",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tenancy.principal",
            ),
        ),
        migrations.AddField(
            model_name="replymention",
            name="tenant",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tenancy.tenant",
            ),
        ),
        migrations.AddIndex(
            model_name="replymention",
            index=models.Index(fields=["tenant", "principal", "-mentioned_at"], name="reply_mentions_person"),
        ),
        migrations.AddIndex(
            model_name="replymention",
            index=models.Index(fields=["tenant", "-mentioned_at"], name="reply_mentions_recent"),
        ),
        migrations.AddConstraint(
            model_name="replymention",
            constraint=models.UniqueConstraint(
                fields=("tenant", "conversation", "principal"), name="reply_mentions_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="replymention",
            constraint=models.CheckConstraint(
                condition=models.Q(("channel__in", ["slack", "email", "api", "web"])),
                name="reply_mentions_channel_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="replymention",
            constraint=models.CheckConstraint(
                condition=models.Q(("matched_via__in", ["slack_id", "name"])),
                name="reply_mentions_matched_via_known",
            ),
        ),
    ]
