"""The turns of a community go with it."""

from django.db import migrations

from apps.foundation.on_delete import held_by_the_database


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0004_slack_ingest")]
    operations = [migrations.RunSQL(held_by_the_database("slack_ingest_turns"), migrations.RunSQL.noop)]
