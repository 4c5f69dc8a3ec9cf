"""How many messages are let in a minute: sixty of all communities, of each one its own number (contract §13, §15.3).

The last turns stand in Postgres, so that all processes count together. A message beyond the number is given the
first turn that is free, in the order of arrival, and waits for it. Turns of all communities are given out only to
messages whose own community's turn has come, so that nobody's backlog holds up the others.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from apps.foundation.clock import now
from apps.knowledge.models import SlackIngestTurns
from apps.tenancy.context import current_tenant, tenant_context
from apps.tenancy.jobs import Job, Later
from apps.tenancy.limits import limits
from apps.tenancy.models import ROOT_TENANT_ID
from apps.tenancy.tenants import tenant_by_id

PLATFORM_PER_MINUTE: Final = 60
MINUTE: Final = timedelta(minutes=1)
Whose = SlackIngestTurns.Whose


def await_turn(job: Job) -> None:
    """Comes back once it is the job's turn; raises :class:`Later` while it is not. A turn once had is kept."""
    given = set((job.checkpoint or {}).get("turns", []))
    for scope in (Whose.TENANT, Whose.PLATFORM):
        if scope.value in given:
            continue
        rest = book(scope) - now()
        given.add(scope.value)
        job.save_checkpoint({**(job.checkpoint or {}), "turns": sorted(given)})
        if rest > timedelta(0):
            raise Later(rest)


def book(scope: SlackIngestTurns.Whose) -> datetime:
    """The next turn of the current community, or of all of them together."""
    if scope == Whose.TENANT:
        return _booked(scope, a_minute=min(limits().slack_ingest_per_minute, PLATFORM_PER_MINUTE))
    with tenant_context(tenant_by_id(ROOT_TENANT_ID)):
        return _booked(scope, a_minute=PLATFORM_PER_MINUTE)


def next_turn(turns: list[datetime], *, at: datetime, a_minute: int) -> datetime:
    """The first moment from which the minute before holds fewer turns than it may, never before the last one given."""
    free = [at, *turns[-1:]]
    if len(turns) >= a_minute:
        free.append(turns[-a_minute] + MINUTE)
    return max(free)


def _booked(scope: SlackIngestTurns.Whose, *, a_minute: int) -> datetime:
    with transaction.atomic():
        SlackIngestTurns.objects.get_or_create(scope=scope)
        row = SlackIngestTurns.objects.select_for_update(of=("self",)).get(scope=scope)
        turn = next_turn(row.turns, at=now(), a_minute=a_minute)
        row.turns = [*row.turns, turn][-PLATFORM_PER_MINUTE:]
        row.save(update_fields=["turns"])
    assert current_tenant().pk == row.tenant_id
    return turn
