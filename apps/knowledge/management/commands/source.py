"""``manage.py source add|list|runs|pause|resume|delete``: the sources of a community (contract §11.1)."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from apps.foundation.commands import SentenceCommand
from apps.foundation.errors import BadInput
from apps.knowledge import sources
from apps.knowledge.models import KnowledgeSource
from apps.knowledge.source_views import COUNTERS, run_view, source_view
from apps.tenancy.context import tenant_context
from apps.tenancy.tenants import find_tenant, only_tenant


class Command(SentenceCommand):
    """Secrets are taken and never shown."""

    help = "Adds, lists, pauses, resumes and deletes sources of knowledge, and shows their runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        add = actions.add_parser("add", help="Make a source.")
        add.add_argument("source_key")
        add.add_argument("--kind", required=True, choices=KnowledgeSource.Kind.values)
        add.add_argument("--name")
        add.add_argument("--url")
        add.add_argument("--every", type=int, metavar="MINUTES", help="sync it by itself, this often")
        add.add_argument("--config", default="{}", help="any other fields, as JSON")
        add.add_argument("--secrets", default="{}", help="token, password, webhook_signing_secret, as JSON")
        listing = actions.add_parser("list", help="Show the sources.")
        listing.add_argument("--json", action="store_true")
        runs = actions.add_parser("runs", help="Show the newest runs of a source.")
        runs.add_argument("source_key")
        runs.add_argument("--json", action="store_true")
        for name in ("pause", "resume", "delete"):
            actions.add_parser(name).add_argument("source_key")
        for action in actions.choices.values():
            action.add_argument(
                "--tenant", help="the community's slug; may be left out where there is only one"
            )

    def perform(self, **options: Any) -> None:
        tenant = find_tenant(options["tenant"]) if options["tenant"] else only_tenant()
        with tenant_context(tenant):
            getattr(self, f"_{options['action']}")(options)

    def _add(self, options: dict[str, Any]) -> None:
        given = _object(options["config"], "--config")
        for field, option in (("url", "url"), ("schedule_interval_minutes", "every")):
            if options[option] is not None:
                given[field] = options[option]
        secrets = _object(options["secrets"], "--secrets")
        source = sources.create_source(
            **{
                "name": options["name"] or options["source_key"],
                **given,
                "source_key": options["source_key"],
                "source_kind": options["kind"],
                **({"secrets": secrets} if secrets else {}),
            }
        )
        self.say(f"Added {source.source_key} ({source.source_kind}), id {source.pk}.")

    def _list(self, options: dict[str, Any]) -> None:
        rows = list(sources.list_sources())
        if options["json"]:
            self.say(json.dumps([source_view(row) for row in rows], ensure_ascii=False))
            return
        for row in rows:
            every = (
                f"every {row.schedule_interval_minutes} min" if row.schedule_interval_minutes else "by hand"
            )
            times = f"{row.consecutive_failures} failure{'s' if row.consecutive_failures != 1 else ''}"
            trouble = f"  {times}: {row.last_error}" if row.last_error else ""
            self.say(f"{row.source_key}  {row.source_kind}  {row.status}  {every}  {row.url or ''}{trouble}")
        if not rows:
            self.say("There are no sources yet.")

    def _runs(self, options: dict[str, Any]) -> None:
        rows = sources.runs_of(sources.source_with_key(options["source_key"]).pk, limit=20)
        if options["json"]:
            self.say(json.dumps([run_view(row) for row in rows], ensure_ascii=False))
            return
        for row in rows:
            counted = " ".join(
                f"{name.split('_')[1]} {getattr(row, name)}" for name in COUNTERS if name != "ai_cleaned"
            )
            why = f"  {row.error}" if row.error else ""
            self.say(f"{row.created_at:%Y-%m-%d %H:%M:%S}  {row.trigger_type}  {row.status}  {counted}{why}")
        if not rows:
            self.say("It was never synced.")

    def _pause(self, options: dict[str, Any]) -> None:
        source = sources.pause_source(sources.source_with_key(options["source_key"]).pk)
        self.say(f"Paused {source.source_key}; its pages stay.")

    def _resume(self, options: dict[str, Any]) -> None:
        source = sources.resume_source(sources.source_with_key(options["source_key"]).pk)
        self.say(f"{source.source_key} is active again.")

    def _delete(self, options: dict[str, Any]) -> None:
        key = options["source_key"]
        count = sources.delete_source(sources.source_with_key(key).pk, deleted_by="manage.py")
        pages = f"{count} page{'s' if count != 1 else ''}"
        rest = f"; {pages} of it now in the trash, for seven days" if count else "; it had no pages"
        self.say(f"Deleted {key}{rest}.")


def _object(text: str, name: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise BadInput(f"{name} must be a JSON object.")
    return value
