"""The numbers of docs/contract.md that no other test would miss: changing one is changing the contract."""

from __future__ import annotations

from apps.agent import conversations
from apps.agent.kernel import constants
from apps.integrations.rootint import registry
from apps.knowledge.retrieval import keyword, pages, passages
from apps.tenancy import row_cache
from apps.tenancy.jobs import metrics, retention, run


def test_a_turn() -> None:
    assert (conversations.HISTORY_ROWS, conversations.SEGMENT_LIMIT) == (20, 120)


def test_a_tool_result() -> None:
    assert (constants.TOOL_RESULT_SERIALIZED_CAP, constants.TOOL_RESULT_TRUNCATE_BUDGET) == (60_000, 55_000)
    assert constants.TRUNCATION_MARKER == (
        "…[TRUNCATED for size — the full text is not available; do not guess at what was cut]"
    )


def test_a_search_in_pages() -> None:
    assert (pages.DEFAULT_LIMIT, pages.MAX_LIMIT, pages.VECTOR_LANE_MIN, pages.CHUNKS_PER_PAGE) == (
        25,
        50,
        30,
        3,
    )
    assert (keyword.LANE_LIMIT, passages.EXPANDED, passages.NEIGHBOR_CHARS) == (20, 10, 600)


def test_caches() -> None:
    assert (row_cache.SECONDS, registry.MANIFEST_TTL_SECONDS) == (30, 60)


def test_jobs() -> None:
    assert (retention.KEEP_EVENTS.days, metrics.FAILURES_WITHIN.seconds) == (30, 600)
    assert run.INACTIVE_REST.seconds == 900
