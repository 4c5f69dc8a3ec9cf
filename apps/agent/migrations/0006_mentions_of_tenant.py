"""A mention, its message and its person belong to one tenant, and go with each of them."""

from django.db import migrations

from apps.foundation.on_delete import held_by_the_database

KEYS = """
ALTER TABLE reply_mentions ADD CONSTRAINT reply_mentions_principal_of_tenant
    FOREIGN KEY (tenant_id, principal_id) REFERENCES principals (tenant_id, id)
    ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE reply_mentions ADD CONSTRAINT reply_mentions_conversation_of_tenant
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversation_logs (tenant_id, id)
    ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
"""
UNDO = """
ALTER TABLE reply_mentions DROP CONSTRAINT reply_mentions_principal_of_tenant;
ALTER TABLE reply_mentions DROP CONSTRAINT reply_mentions_conversation_of_tenant;
"""


class Migration(migrations.Migration):
    dependencies = [("agent", "0005_reply_mentions")]
    operations = [
        migrations.RunSQL(held_by_the_database("reply_mentions"), migrations.RunSQL.noop),
        migrations.RunSQL(KEYS, UNDO),
    ]
