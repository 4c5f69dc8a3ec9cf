"""The database itself deletes, or lets go of, what belonged to a tenant or a key that is gone."""

from django.db import migrations

from apps.foundation.on_delete import held_by_the_database

TABLES = ["api_request_usage", "tenant_assets", "tenant_credentials", "tenant_users"]


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0002_people_assets_and_events")]
    operations = [
        migrations.RunSQL(
            held_by_the_database(*TABLES, letting_go_of=["tenant_api_keys"]), migrations.RunSQL.noop
        )
    ]
