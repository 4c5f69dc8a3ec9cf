"""The database itself deletes the requests of a tenant that is gone."""

from django.db import migrations

from apps.foundation.on_delete import held_by_the_database


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0005_idempotency")]
    operations = [migrations.RunSQL(held_by_the_database("idempotent_requests"), migrations.RunSQL.noop)]
