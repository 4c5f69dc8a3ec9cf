"""The database holds ON DELETE for the tables of 0002: their foreign keys exist only once that migration has ended."""

from django.db import migrations

REDO = """
DO $$
DECLARE found record;
BEGIN
  FOR found IN
    SELECT conrelid::regclass AS of_table, conname, pg_get_constraintdef(oid) AS definition, confrelid
    FROM pg_constraint
    WHERE contype = 'f' AND confdeltype = 'a' AND conrelid IN (
      'knowledge_sources'::regclass, 'knowledge_sync_runs'::regclass, 'knowledge_trash'::regclass,
      'keyword_df'::regclass, 'keyword_stats'::regclass, 'processed_slack_messages'::regclass,
      'slack_thread_artifacts'::regclass, 'slack_message_enrichments'::regclass,
      'slack_channel_reach'::regclass, 'slack_knowledge_extractions'::regclass,
      'slack_extraction_state'::regclass, 'web_link_tokens'::regclass, 'web_browser_sessions'::regclass)
  LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.of_table, found.conname);
    EXECUTE format(
      'ALTER TABLE %s ADD CONSTRAINT %I %s ON DELETE %s DEFERRABLE INITIALLY DEFERRED',
      found.of_table, found.conname, replace(found.definition, ' DEFERRABLE INITIALLY DEFERRED', ''),
      CASE WHEN found.confrelid = 'web_browser_sessions'::regclass THEN 'SET NULL' ELSE 'CASCADE' END
    );
  END LOOP;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0002_sources_slack_and_links")]
    operations = [migrations.RunSQL(REDO, migrations.RunSQL.noop)]
