"""What the database itself does to rows whose parent goes: Django keeps ON DELETE to itself.

For a migration of its own: Django makes the foreign keys of new tables only when their migration has ended.
"""

from __future__ import annotations

from collections.abc import Iterable


def held_by_the_database(*tables: str, letting_go_of: Iterable[str] = ()) -> str:
    """SQL: keys of these tables delete their rows along, or forget a parent in one of ``letting_go_of``."""
    among = ", ".join(f"'{table}'::regclass" for table in tables)
    forgotten = ", ".join(f"'{table}'" for table in letting_go_of) or "''"
    return f"""
DO $$
DECLARE found record;
BEGIN
  FOR found IN
    SELECT conrelid::regclass AS of_table, conname, confrelid::regclass::text AS parent,
      replace(pg_get_constraintdef(oid), ' DEFERRABLE INITIALLY DEFERRED', '') AS definition
    FROM pg_constraint WHERE contype = 'f' AND confdeltype = 'a' AND conrelid IN ({among})
  LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.of_table, found.conname);
    EXECUTE format(
      'ALTER TABLE %s ADD CONSTRAINT %I %s ON DELETE %s DEFERRABLE INITIALLY DEFERRED',
      found.of_table, found.conname, found.definition,
      CASE WHEN found.parent IN ({forgotten}) THEN 'SET NULL' ELSE 'CASCADE' END);
  END LOOP;
END $$;
"""  # noqa: S608 -- names written in migrations
