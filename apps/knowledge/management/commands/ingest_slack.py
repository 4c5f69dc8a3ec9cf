"""``manage.py ingest_slack FILE.jsonl --tenant SLUG``: recorded messages through the ingest path (contract §8.2)."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from apps.foundation.commands import SentenceCommand
from apps.foundation.errors import BadInput
from apps.knowledge import indexing
from apps.knowledge.slack_index.events import QUEUE, spoken, take_in
from apps.knowledge.slack_index.lookup import Lookup
from apps.tenancy import jobs
from apps.tenancy.context import tenant_context
from apps.tenancy.tenants import find_tenant, only_tenant

MAX_LINE = 4 * 1024 * 1024
# Our own names beside Slack's.
_ALSO = {"channel_id": "channel", "user_id": "user", "message_ts": "ts", "message_text": "text", "_id": "ts"}


class Command(SentenceCommand):
    """A line is a message, or an event, as Slack writes them; names of its channel and author may stand in it."""

    help = "Indexes recorded Slack messages."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="a message a line, as JSON")
        parser.add_argument("--tenant", metavar="SLUG", help="may be left out where there is only one")
        parser.add_argument("--respect-limits", action="store_true", help="as jobs, in their turn")

    def perform(self, **options: Any) -> None:
        tenant = find_tenant(options["tenant"]) if options["tenant"] else only_tenant()
        counted: Counter[str] = Counter()
        with tenant_context(tenant):
            lookup = Lookup.here(recorded=True)
            for number, line in _lines(options["file"]):
                outcome = self._taken(line, number=number, lookup=lookup, in_turn=options["respect_limits"])
                counted[outcome] += 1
            if not options["respect_limits"]:
                self._embed()
        self.say(", ".join(f"{name} {count}" for name, count in sorted(counted.items())) or "nothing to read")
        if counted["unreadable"]:
            raise CommandError(f"{counted['unreadable']} lines could not be read; the others are in.")

    def _taken(self, line: str, *, number: int, lookup: Lookup, in_turn: bool) -> str:
        try:
            said = _said(line)
            if said is None:
                return "passed over"
            if not in_turn:
                return take_in(said, lookup=lookup, embed=False)
            key = f"message:{said['channel']}:{said['ts']}:{said.get('edited_ts') or ''}"
            jobs.enqueue(QUEUE, key=key, payload={"kind": "message", "message": said, "recorded": True})
        except BadInput as problem:
            self.stderr.write(f"Line {number}: {problem.message}")
            return "unreadable"
        return "waiting"

    def _embed(self) -> None:
        while True:
            run = indexing.embed_pending_rows("slack_messages")
            if run.failed:
                self.say("The embedder does not answer; the next sweep makes the vectors.")
            if run.failed or not run.left:
                return


def _said(line: str) -> dict[str, Any] | None:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        raise BadInput("it is no JSON.") from None
    if not isinstance(given, dict):
        raise BadInput("it is no JSON object.")
    event = given.get("event") if isinstance(given.get("event"), dict) else given
    assert isinstance(event, dict)
    return spoken({**{_ALSO[name]: value for name, value in event.items() if name in _ALSO}, **event})


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if len(line) > MAX_LINE:
                    raise BadInput(f"Line {number} of {path} is longer than {MAX_LINE // 1024**2} MB.")
                if line.strip():
                    yield number, line
    except (OSError, UnicodeDecodeError):
        raise BadInput(f"The file {path} cannot be read as UTF-8 text.") from None
