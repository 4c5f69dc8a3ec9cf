"""The database itself deletes, or lets go of, what belonged to a tenant or a key that is gone."""

from django.db import migrations

REDO = """
DO $$
DECLARE found record;
BEGIN
  FOR found IN
    SELECT conrelid::regclass AS of_table, conname, pg_get_constraintdef(oid) AS definition, confrelid
    FROM pg_constraint
    WHERE contype = 'f' AND confdeltype = 'a' AND conrelid IN (
      'api_request_usage'::regclass, 'tenant_assets'::regclass,
      'tenant_credentials'::regclass, 'tenant_users'::regclass)
  LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.of_table, found.conname);
    EXECUTE format(
      'ALTER TABLE %s ADD CONSTRAINT %I %s ON DELETE %s DEFERRABLE INITIALLY DEFERRED',
      found.of_table, found.conname, replace(found.definition, ' DEFERRABLE INITIALLY DEFERRED', ''),
      CASE WHEN found.confrelid = 'tenants'::regclass THEN 'CASCADE' ELSE 'SET NULL' END
    );
  END LOOP;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0002_people_assets_and_events")]
    operations = [migrations.RunSQL(REDO, migrations.RunSQL.noop)]
