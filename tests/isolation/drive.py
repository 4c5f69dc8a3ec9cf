"""The drive: everything, for three communities at once, and what was seen of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import connection, connections

from apps.agent.hooks import AFTER_BATCH
from apps.agent.kernel.threads import THREADS
from apps.agent.kernel.types import ExecutedCall
from apps.agent.turns import Caller, TurnOutcome, TurnRequest, run_turn
from apps.channels.turn_pool import turn_pool
from apps.foundation import ttl_cache
from apps.tenancy.context import current_tenant, tenant_context
from apps.tenancy.jobs import enqueue_tick, registry
from apps.tenancy.jobs.by_hand import advance
from apps.tenancy.jobs.run import drain
from apps.tenancy.models import QueueJob
from tests.fakes.backend import Recorded
from tests.fakes.llm import Request
from tests.isolation import memory
from tests.isolation.cast import EMAIL, EXPLODES, Community, communities
from tests.isolation.drivers import Driver, at_the_end, in_order
from tests.isolation.rows import Row, all_rows
from tests.isolation.scripted import QUESTION, scripted_model
from tests.isolation.telling import told
from tests.isolation.watching import watching

TURNS = 20
TURNS_AT_ONCE = 8
PATIENCE = 120
ROUNDS = 12


@dataclass(frozen=True)
class Said:
    """What one driver, or one turn, told one community."""

    by: str
    slug: str
    text: str


@dataclass(frozen=True)
class JobRow:
    queue: str
    slug: str
    state: str
    error: str


@dataclass
class Drive:
    """What was seen, by value: nothing here needs the database any more."""

    slugs: dict[str, str] = field(default_factory=dict)  # by tenant id
    said: list[Said] = field(default_factory=list)
    batches: list[tuple[str, str]] = field(default_factory=list)  # (slug, told) of each hook after a batch
    turns: list[tuple[str, TurnOutcome]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    jobs: list[JobRow] = field(default_factory=list)
    models: list[Request] = field(default_factory=list)
    unexpected: list[Request] = field(default_factory=list)
    backends: dict[str, list[Recorded]] = field(default_factory=dict)  # by slug
    ran: dict[str, set[str]] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)
    after: dict[str, str] = field(default_factory=dict)


def drive() -> Drive:
    """Does it all; the database is full of rows afterwards."""
    seen = Drive()
    ttl_cache.clear_all()
    # Threads from before would not be watched.
    turn_pool.cache_clear()
    THREADS.forget()
    with (
        scripted_model() as llm,
        communities() as cast,
        watching() as watch,
        _refusing(),
        _hook(seen),
    ):
        seen.slugs = {str(each.tenant.pk): each.slug for each in cast}
        seen.before = memory.contents()
        for driver in in_order():
            _together(driver, cast, seen)
        _turns(cast, seen)
        _jobs(seen)
        seen.rows = all_rows()
        for driver in at_the_end():
            _together(driver, cast, seen)
        # What was taken away is work for jobs too.
        _jobs(seen)
        seen.rows += all_rows()
        seen.after = memory.contents()
        seen.models, seen.unexpected = list(llm.requests), list(llm.unexpected)
        seen.backends = {each.slug: [*each.house.requests, *each.annex.requests] for each in cast}
        seen.jobs = _job_rows(seen.slugs)
        seen.ran = watch.seen()
    return seen


def _together(driver: Driver, cast: Sequence[Community], seen: Drive) -> None:
    """All three begin at the same moment."""
    barrier = threading.Barrier(len(cast))

    def one(community: Community) -> Said:
        barrier.wait(PATIENCE)
        with tenant_context(community.tenant):
            return Said(driver.__name__, community.slug, told(driver(community)))

    with ThreadPoolExecutor(len(cast)) as pool:
        seen.said += list(pool.map(_returned(one), cast))


def _turns(cast: Sequence[Community], seen: Drive) -> None:
    """Twenty, alternating between the two live communities, eight at once."""

    def one(community: Community) -> tuple[str, TurnOutcome]:
        with tenant_context(community.tenant):
            request = TurnRequest(
                message=QUESTION.format(marker=community.marker),
                channel="web",
                caller=Caller(email=EMAIL),
                thread_key="same-thread",
            )
            return community.slug, run_turn(request)

    with ThreadPoolExecutor(TURNS_AT_ONCE) as pool:
        seen.turns += list(pool.map(_returned(one), [cast[number % 2] for number in range(TURNS)]))


def _jobs(seen: Drive) -> None:
    """Ticks and jobs of every queue somebody handles, three threads a queue, until none is due."""
    registry.autodiscover()
    names = [row.name for row in registry.handled()]
    for row in registry.handled():
        if row.schedule_seconds is not None:
            enqueue_tick(row.name)
    for _ in range(ROUNDS):
        with ThreadPoolExecutor(3 * len(names)) as pool:
            list(pool.map(_returned(drain), names * 3))
        if not QueueJob.objects.filter(state__in=["waiting", "retrying"]).exists():
            return
        # A tick asked for jobs, or one of too many at once waits for its turn.
        advance(timedelta(hours=1))


def _returned(work: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def run(argument: Any) -> Any:
        try:
            return work(argument)
        finally:
            connections.close_all()

    return run


def _job_rows(slugs: dict[str, str]) -> list[JobRow]:
    return [
        JobRow(row.queue, slugs.get(str(row.tenant_id), ""), row.state, row.error)
        for row in QueueJob.objects.all()
    ]


@contextmanager
def _hook(seen: Drive) -> Iterator[None]:
    """Work after a batch, as an app that watches batches would put it there."""

    def look(calls: Sequence[ExecutedCall]) -> None:
        seen.batches.append((current_tenant().slug, told(calls)))

    AFTER_BATCH.append(look)
    try:
        yield
    finally:
        AFTER_BATCH.remove(look)


@contextmanager
def _refusing() -> Iterator[None]:
    """The database refuses one sentence, so that of five tools one raises in the middle of its work."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION refuse_a_wish() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            " RAISE EXCEPTION 'refused'; END $$"
        )
        cursor.execute(
            "CREATE TRIGGER refuse_a_wish BEFORE INSERT ON member_preferences FOR EACH ROW"
            f" WHEN (NEW.instructions LIKE '{EXPLODES}%') EXECUTE FUNCTION refuse_a_wish()"
        )
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TRIGGER refuse_a_wish ON member_preferences")
            cursor.execute("DROP FUNCTION refuse_a_wish")
