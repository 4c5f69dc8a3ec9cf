"""The measurements: a search against its bare SQL, the vector lane against the exact scan, and what it brings."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from django.db import connection

from apps.knowledge.audience import Audience
from apps.knowledge.retrieval.execution import run_statements
from apps.knowledge.retrieval.lanes import Plan, choose_plan, corpus_size, vector_statement
from apps.knowledge.retrieval.page_lanes import QueryVector
from apps.knowledge.retrieval.pages import search_embedded
from apps.knowledge.retrieval.scope import chunk_scope
from apps.tenancy.context import tenant_context
from scripts.bench.searching.filling import EMBEDDER, Filled
from scripts.bench.searching.replay import Bare, Issued, recording

MEMBER = Audience("member")
LIMIT = 30
SLACK_MS = 3.0
RATIO = 1.3
_YARD = "SELECT sum(hashint4(number)::bigint) FROM generate_series(1, 50000) AS number"


def whole_search(filled: Filled, *, rounds: int) -> dict[str, Any]:
    """Medians of a search and of its own statements, run in turns.

    Whoever goes first reads from the disk what the other then finds in memory, so each goes first every other round.
    """
    bare = Bare()
    searches: list[float] = []
    replays: list[float] = []
    with tenant_context(filled.tenant):
        recorded = [_recorded(words, vector) for words, vector in filled.questions]
        for number in range(-2, 2 * ((rounds + 1) // 2)):
            for (words, vector), issued in zip(filled.questions, recorded, strict=True):
                took = again = 0.0
                if number % 2:
                    again = _ms(bare.run, issued)
                took = _ms(_search, words, vector)
                if not number % 2:
                    again = _ms(bare.run, issued)
                # The rounds before the first warm both up.
                if number >= 0:
                    searches.append(took)
                    replays.append(again)
    bare.close()
    search, replay = statistics.median(searches), statistics.median(replays)
    return {
        "rows": filled.rows,
        "search_ms": round(search, 2),
        "bare_sql_ms": round(replay, 2),
        "ratio_to_bare_sql": round(search / replay, 3),
        "statements": len(recorded[0]),
        "holds": search <= max(RATIO * replay, replay + SLACK_MS),
    }


def vector_lane(filled: Filled, *, rounds: int) -> dict[str, Any]:
    """The lane as it is chosen against the exact scan of the same rows: time, and the share of the true 30."""
    chosen: list[float] = []
    exact: list[float] = []
    shares = []
    with tenant_context(filled.tenant):
        plan = chosen_plan()
        for _, vector in filled.questions:
            true, found = _lane(vector, "exact"), _lane(vector, plan)
            shares.append(len({*true} & {*found}) / max(len(true), 1))
        for _ in range(rounds):
            for _, vector in filled.questions[:4]:
                chosen.append(_ms(_lane, vector, plan))
                exact.append(_ms(_lane, vector, "exact"))
    return {
        "rows": filled.rows,
        "plan": plan,
        "lane_ms": round(statistics.median(chosen), 2),
        "exact_scan_ms": round(statistics.median(exact), 2),
        "share_of_exact_scan": round(statistics.median(chosen) / statistics.median(exact), 3),
        "recall_at_30": round(statistics.mean(shares), 4),
        "worst_recall": round(min(shares), 3),
    }


def rows_for_a_narrow_tier(filled: Filled) -> dict[str, Any]:
    """What somebody gets who may see a hundredth of the pages."""
    counts, shares = [], []
    with tenant_context(filled.tenant):
        plan = chosen_plan()
        for _, vector in filled.questions:
            true, found = _lane(vector, "exact"), _lane(vector, plan)
            counts.append(len(found))
            shares.append(len({*true} & {*found}) / max(len(true), 1))
    return {
        "rows": filled.rows,
        "plan": plan,
        "fewest_rows": min(counts),
        "recall_at_30": round(statistics.mean(shares), 4),
    }


def search_in_yards(filled: Filled, *, rounds: int) -> float:
    """The median of a search as a multiple of work that no table has a part in: comparable across the minutes in
    which the table is filled, however busy the machine is with others."""
    searches: list[float] = []
    yards: list[float] = []
    with tenant_context(filled.tenant), connection.cursor() as cursor:
        for words, vector in filled.questions:
            _search(words, vector)
        for _ in range(rounds):
            for words, vector in filled.questions:
                searches.append(_ms(_search, words, vector))
                yards.append(_ms(cursor.execute, _YARD))
    return statistics.median(searches) / statistics.median(yards)


def chosen_plan() -> Plan:
    """How the search walks the current tenant."""
    size = corpus_size()
    if size is None:
        raise RuntimeError("the database does not answer")
    return choose_plan(size.of(EMBEDDER), table=size.table)


def _recorded(words: str, vector: list[float]) -> list[Issued]:
    # Sizes are known by now, as they are for all but one search a minute.
    _search(words, vector)
    with recording() as issued:
        _search(words, vector)
    return list(issued)


def _search(words: str, vector: list[float]) -> None:
    outcome = search_embedded(words, QueryVector(vector, EMBEDDER), audience=MEMBER, limit=LIMIT)
    if outcome.status != "found":
        raise RuntimeError(f"a search of the benchmark is {outcome.status}")


def _lane(vector: list[float], plan: Plan) -> list[Any]:
    statement = vector_statement(vector, embedder=EMBEDDER, scope=chunk_scope(MEMBER), limit=LIMIT, plan=plan)
    rows = run_statements([statement])["vector"]
    if rows is None:
        raise RuntimeError("the vector lane failed")
    return [row[0] for row in rows]


def _ms(call: Callable[..., object], *given: object) -> float:
    began = time.perf_counter()
    call(*given)
    return 1_000 * (time.perf_counter() - began)
