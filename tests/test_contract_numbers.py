"""The numbers of docs/contract.md that no other test would miss: changing one is changing the contract."""

from __future__ import annotations

from apps.agent import conversations
from apps.agent.kernel import constants
from apps.integrations.rootint import registry
from apps.knowledge import embedding_kinds, frequencies
from apps.knowledge.retrieval import keyword, page_lanes, pages, passages, rerank, word_weights
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
    assert (pages.DEFAULT_LIMIT, pages.MAX_LIMIT, pages.CHUNKS_PER_PAGE) == (25, 50, 3)
    assert (page_lanes.VECTOR_LANE_MIN, keyword.LANE_LIMIT) == (30, 20)
    assert (passages.EXPANDED, passages.NEIGHBOR_CHARS) == (10, 600)


def test_what_words_weigh() -> None:
    assert (keyword.K1, keyword.B) == (1.2, 0.75)
    assert (word_weights.COMMON_SHARE, word_weights.COMMON_AT_LEAST, word_weights.MOST_PASSAGES) == (
        0.1,
        500,
        12_000,
    )
    assert (frequencies.MOVED_SHARE, frequencies.SAMPLED_ABOVE, frequencies.SAMPLED_ONE_IN) == (
        0.1,
        100_000,
        10,
    )


def test_reranking() -> None:
    assert (pages.RERANK_WINDOW, pages.RERANK_KEEP, rerank.MOST_CANDIDATES) == (20, 12, 30)
    assert (rerank.EXCERPT_CHARS, rerank.MAX_TOKENS, rerank.TIMEOUT_SECONDS) == (600, 4_000, 20.0)


def test_batches_of_the_audit() -> None:
    assert [kind.batch for kind in embedding_kinds.KINDS] == [100, 100, 20]


def test_caches() -> None:
    assert (row_cache.SECONDS, registry.MANIFEST_TTL_SECONDS) == (30, 60)


def test_jobs() -> None:
    assert (retention.KEEP_EVENTS.days, metrics.FAILURES_WITHIN.seconds) == (30, 600)
    assert run.INACTIVE_REST.seconds == 900
