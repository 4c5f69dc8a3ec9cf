"""``manage.py sync SOURCE_KEY --tenant SLUG --wait``: one run of one source (contract §11.2)."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from apps.foundation.commands import SentenceCommand
from apps.foundation.errors import BadInput
from apps.foundation.text import printable
from apps.knowledge.models import KnowledgeSyncRun
from apps.knowledge.source_views import COUNTERS, run_view
from apps.knowledge.sources import source_with_key
from apps.knowledge.sync.requests import QUEUE, Kind, Trigger, push_documents, request_sync
from apps.tenancy.context import tenant_context
from apps.tenancy.jobs import registry
from apps.tenancy.jobs.by_hand import run_here
from apps.tenancy.tenants import find_tenant, only_tenant

LOOK_SECONDS = 0.5
UNSETTLED = ("queued", "running")


class Command(SentenceCommand):
    """With ``--wait`` this process does the work, unless a worker is quicker, and the run gets one attempt."""

    help = "Syncs one source of knowledge."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source_key")
        parser.add_argument("--tenant", help="the community's slug; may be left out where there is only one")
        parser.add_argument("--wait", action="store_true", help="run it now and print what came of it")
        parser.add_argument("--trigger", choices=Trigger.values, default=Trigger.MANUAL)
        parser.add_argument("--documents", type=Path, help="a JSON file with documents, for a push")
        parser.add_argument("--options", help='JSON, such as {"replace_missing": true}')
        parser.add_argument("--json", action="store_true", help="print the run as JSON")

    def perform(self, **options: Any) -> None:
        tenant = find_tenant(options["tenant"]) if options["tenant"] else only_tenant()
        with tenant_context(tenant):
            run = _asked(options)
            if options["wait"]:
                run = _waited(run)
        self.say(json.dumps(run_view(run), ensure_ascii=False) if options["json"] else _sentence(run))
        if run.status == "failed":
            raise CommandError(printable(run.error or "The sync failed."))


def _asked(options: dict[str, Any]) -> KnowledgeSyncRun:
    source = source_with_key(options["source_key"])
    given = _parsed(options["options"], "--options") if options["options"] else None
    if options["documents"] is None:
        if source.source_kind == Kind.API_PUSH:
            raise BadInput("This source is pushed to: name a JSON file with --documents.")
        return request_sync(source.pk, trigger=options["trigger"], options=given, one_attempt=options["wait"])
    delivered = _parsed(_read(options["documents"]), str(options["documents"]))
    if isinstance(delivered, dict) and "documents" in delivered:
        given = {**(delivered.get("options") or {}), **(given or {})} or None
        delivered = delivered["documents"]
    return push_documents(source.source_key, delivered, options=given, one_attempt=options["wait"])


def _waited(run: KnowledgeSyncRun) -> KnowledgeSyncRun:
    """Works on the run until it is settled, or watches whoever does."""
    registry.autodiscover()
    while run.status in UNSETTLED:
        for _ in run_here(QUEUE, key=str(run.pk)):
            """One attempt after the other."""
        run.refresh_from_db()
        if run.status in UNSETTLED:
            time.sleep(LOOK_SECONDS)
    return run


def _sentence(run: KnowledgeSyncRun) -> str:
    if run.status == "queued":
        return f"queued ({run.trigger_type}): a worker will sync it; see manage.py source runs."
    if run.status == "triggered":
        return f"triggered ({run.trigger_type}): the source was asked for its documents and will push them."
    counted = ", ".join(f"{name.replace('_', ' ')} {getattr(run, name)}" for name in COUNTERS)
    said = f" {run.error}" if run.error and run.status != "failed" else ""
    return f"{run.status} ({run.trigger_type}): {counted}.{said}"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise BadInput(f"The file {path} cannot be read as UTF-8 text.") from None


def _parsed(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput(f"{name} is not valid JSON.") from None
