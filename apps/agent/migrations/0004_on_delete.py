"""The database itself deletes, or lets go of, what belonged to a tenant or a person who is gone."""

from django.db import migrations

from apps.foundation.on_delete import held_by_the_database

TABLES = ["reply_source_usage", "agent_runs", "human_interventions"]


class Migration(migrations.Migration):
    dependencies = [("agent", "0003_reply_source_usage")]
    operations = [
        migrations.RunSQL(held_by_the_database(*TABLES, letting_go_of=["principals"]), migrations.RunSQL.noop)
    ]
