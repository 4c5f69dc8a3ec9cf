"""Django keeps ON DELETE to itself; here the database holds it, for every table made so far."""

from django.db import migrations

REDO = """
DO $$
DECLARE found record;
BEGIN
  FOR found IN
    SELECT conrelid::regclass AS of_table, conname, pg_get_constraintdef(oid) AS definition, confrelid
    FROM pg_constraint
    WHERE contype = 'f' AND confdeltype = 'a' AND connamespace = current_schema()::regnamespace
      AND (confrelid = 'tenants'::regclass OR (conrelid = 'conversation_logs'::regclass AND confrelid = 'principals'::regclass))
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
    dependencies = [
        ("agent", "0001_first"),
        ("integrations", "0001_first"),
        ("knowledge", "0001_pages_and_chunks"),
        ("tenancy", "0001_first"),
    ]
    operations = [migrations.RunSQL(REDO, migrations.RunSQL.noop)]
