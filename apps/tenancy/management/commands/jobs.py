"""``manage.py jobs list | run QUEUE | tick QUEUE | advance SECONDS``: the job table from a terminal (contract §13)."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.core.management.base import CommandError

from apps.foundation import clock, queues
from apps.foundation.commands import SentenceCommand
from apps.foundation.errors import BadInput
from apps.tenancy.jobs import by_hand, listing, registry
from apps.tenancy.jobs.metrics import Standing, standings
from apps.tenancy.models import QueueJob

SHOWN = 50
MOST_SHOWN = 10_000


class Command(SentenceCommand):
    help = "Shows the job table, runs jobs here and now, puts in ticks, and in development lets time pass."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        shown = actions.add_parser("list", help="How every queue stands, and the rows that are not done.")
        shown.add_argument("--queue", metavar="QUEUE", help="only this queue")
        shown.add_argument("--state", metavar="STATE", help="only rows in this state, done ones included")
        shown.add_argument("--tenant", metavar="SLUG", help="only rows of this community")
        shown.add_argument("--limit", default=str(SHOWN), metavar="N", help=f"rows at most ({SHOWN})")
        shown.add_argument("--json", action="store_true", help="for machines")
        run = actions.add_parser("run", help="Run what is due in a queue, in this process.")
        run.add_argument("queue", metavar="QUEUE")
        run.add_argument("--key", metavar="KEY", help="the jobs of this key, due or not")
        tick = actions.add_parser("tick", help="Put in the tick of a queue with a schedule.")
        tick.add_argument("queue", metavar="QUEUE")
        advance = actions.add_parser("advance", help="Let time pass for waiting jobs (development only).")
        advance.add_argument("seconds", metavar="SECONDS")

    def perform(self, **options: Any) -> None:
        registry.autodiscover()
        actions = {"list": self._list, "run": self._run, "tick": self._tick, "advance": self._advance}
        actions[options["action"]](**options)

    def _list(self, **options: Any) -> None:
        limit = _whole_number(options["limit"], most=MOST_SHOWN)
        found = listing.rows(queue=options["queue"], state=options["state"], tenant_slug=options["tenant"])
        queue = options["queue"]
        shown = [standing for standing in standings() if queue in (None, standing.queue)]
        chosen = list(found[:limit])
        if options["json"]:
            told = {"queues": [_standing(s) for s in shown], "rows": [_row(row) for row in chosen]}
            # Plain ASCII: whatever is in a key arrives as an escape, and is the same once read.
            self.say(json.dumps(told, indent=2))
            return
        self._lines(_standing_lines(shown))
        self._lines(_row_lines(chosen, more=found.count() - len(chosen)))

    def _run(self, **options: Any) -> None:
        ran = failed = 0
        for ended in by_hand.run_here(options["queue"], key=options["key"]):
            ran += 1
            failed += bool(ended.error)
            self._lines([f"{ended.job_id} {ended.key}: {ended.state}" + _because(ended.error)])
        self.say(f"{ran} run." if ran else "Nothing was there to run.")
        if failed:
            raise CommandError(f"{failed} of {ran} did not end well.")

    def _tick(self, **options: Any) -> None:
        made = by_hand.tick(options["queue"])
        if made is None:
            self.say("This time slot has its tick already, or an older one still waits.")
        else:
            self.say(f"{made} waits for a worker; `jobs run {options['queue']}` runs it here.")

    def _advance(self, **options: Any) -> None:
        seconds = _seconds(options["seconds"])
        count = by_hand.advance(timedelta(seconds=seconds))
        self.say(f"{count} waiting jobs are {seconds:g} seconds nearer.")

    def _lines(self, lines: Iterable[str]) -> None:
        for line in lines:
            # A key must not begin a line that looks like ours.
            self.say(line.replace("\n", "\\n").replace("\r", "\\r"))


def _standing_lines(shown: list[Standing]) -> Iterable[str]:
    yield f"{'queue':<28}{'due':>8}{'lag s':>10}{'resting':>9}{'running':>9}{'failed*':>9}"
    for each in shown:
        numbers = (
            f"{each.depth:>8}{each.lag_seconds:>10.0f}{each.resting:>9}{each.running:>9}{each.failures:>9}"
        )
        yield f"{each.queue:<28}{numbers}{_remark(each)}"
    yield "* for good, within ten minutes"


def _remark(standing: Standing) -> str:
    if standing.is_handled:
        return ""
    row = queues.QUEUES.get(standing.queue)
    if row is None:
        return "  a name this release does not know"
    return f"  comes with {row.arrives_with}" if row.arrives_with else "  nothing works on it"


def _row_lines(rows: list[QueueJob], *, more: int) -> Iterable[str]:
    yield ""
    yield (
        "No such rows."
        if not rows
        else f"{'state':<10}{'queue':<28}{'tenant':<20}{'tries':>6}  {'when':<12}key"
    )
    for row in rows:
        tenant = row.tenant.slug if row.tenant else "-"
        tries = f"{row.attempts}/{_attempts(row)}"
        yield f"{row.state:<10}{row.queue:<28}{tenant:<20}{tries:>6}  {_when(row):<12}{row.key}" + _because(
            row.error
        )
    if more > 0:
        yield f"… and {more} more."


def _when(row: QueueJob) -> str:
    moment = (
        row.finished_at or row.claimed_at if row.state in {"running", "done", "failed"} else row.run_after
    )
    seconds = (clock.now() - (moment or row.run_after)).total_seconds()
    return f"in {-seconds:.0f} s" if seconds < 0 else f"{seconds:.0f} s ago"


def _because(error: str) -> str:
    return f" ({error})" if error else ""


def _attempts(row: QueueJob) -> int | str:
    known = queues.QUEUES.get(row.queue)
    return known.attempts if known else "?"


def _standing(standing: Standing) -> dict[str, Any]:
    return {
        "queue": standing.queue,
        "depth": standing.depth,
        "lag_seconds": round(standing.lag_seconds, 1),
        "resting": standing.resting,
        "running": standing.running,
        "failed": standing.failures,
        "handled": standing.is_handled,
    }


def _row(row: QueueJob) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "queue": row.queue,
        "tenant": row.tenant.slug if row.tenant else None,
        "key": row.key,
        "serial_by": row.serial_by,
        "tick": row.tick,
        "state": row.state,
        "attempts": row.attempts,
        "asked": row.asked,
        "run_after": _moment(row.run_after),
        "claimed_by": row.claimed_by,
        "claimed_at": _moment(row.claimed_at),
        "finished_at": _moment(row.finished_at),
        "error": row.error,
        "created_at": _moment(row.created_at),
    }


def _moment(value: datetime | None) -> str | None:
    return value.isoformat() if value else None


def _whole_number(raw: str, *, most: int) -> int:
    if not raw.isascii() or not raw.isdigit() or not 0 < int(raw[:9]) <= most:
        raise BadInput(f"--limit is a whole number from 1 to {most}.")
    return int(raw[:9])


def _seconds(raw: str) -> float:
    try:
        seconds = float(raw)
    except ValueError:
        raise BadInput("SECONDS is a number, such as 600.") from None
    if not 0 < seconds <= by_hand.LONGEST_ADVANCE.total_seconds():
        raise BadInput("SECONDS is more than nothing, and a year at most.")
    return seconds
