"""The database itself deletes what belonged to a tenant, a person or a page that is gone."""

from django.db import migrations

from apps.foundation.on_delete import held_by_the_database

TABLES = [
    "knowledge_sources",
    "knowledge_sync_runs",
    "knowledge_trash",
    "keyword_df",
    "keyword_stats",
    "processed_slack_messages",
    "slack_thread_artifacts",
    "slack_message_enrichments",
    "slack_channel_reach",
    "slack_knowledge_extractions",
    "slack_extraction_state",
    "web_link_tokens",
    "web_browser_sessions",
]


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0002_sources_slack_and_links")]
    operations = [
        migrations.RunSQL(
            held_by_the_database(*TABLES, letting_go_of=["web_browser_sessions"]), migrations.RunSQL.noop
        )
    ]
