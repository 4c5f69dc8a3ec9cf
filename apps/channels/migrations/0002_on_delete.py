"""The database itself deletes what was carried for a tenant that is gone."""

from django.db import migrations

from apps.foundation.on_delete import held_by_the_database


class Migration(migrations.Migration):
    dependencies = [("channels", "0001_first")]
    operations = [migrations.RunSQL(held_by_the_database("slack_logs", "email_logs"), migrations.RunSQL.noop)]
