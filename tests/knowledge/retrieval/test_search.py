"""Searching pages: both lanes, neighbours, caps and limits."""

from typing import Any

import pytest

from apps.knowledge.audience import Audience
from apps.knowledge.models import KnowledgeChunk
from apps.knowledge.pages import save_page
from apps.knowledge.retrieval.pages import SearchOutcome, search_pages
from apps.tenancy.models import Tenant

pytestmark = pytest.mark.django_db
MEMBER = Audience("member")


def _find(query: str, **options: Any) -> SearchOutcome:
    return search_pages(query, audience=options.pop("audience", MEMBER), **options)


def _save(title: str, *sentences: str, **details: Any) -> None:
    html = "".join(f"<h2>Part {number}</h2><p>{text}</p>" for number, text in enumerate(sentences))
    save_page(title=title, content_html=html, **details)


def test_a_page_is_found_by_meaning_and_by_words(in_tenant: Tenant, llm: Any) -> None:
    _save(
        "Printer", "The printer stands beside the kitchen and takes A3.", source_url="https://ex.org/printer"
    )
    _save("Guests", "Guests may stay for one day.")
    outcome = _find("printer kitchen")
    assert (outcome.status, outcome.degraded, outcome.ranking) == ("found", (), "fused")
    first = outcome.passages[0]
    assert (first.page_title, first.slug, first.section) == ("Printer", "printer", "Part 0")
    assert first.source_url == "https://ex.org/printer"
    assert "beside the kitchen" in first.text
    assert first.score == pytest.approx(2 / 61)


def test_a_keyword_hit_needs_no_similarity(in_tenant: Tenant, llm: Any) -> None:
    filler = " ".join(f"filler{number} text{number}" for number in range(90))
    _save("Rules", f"{filler} zeppelin {filler}")
    assert {passage.slug for passage in _find("zeppelin landing").passages} == {"rules"}


def test_nothing_matching_is_empty_not_failed(in_tenant: Tenant, llm: Any) -> None:
    _save("Guests", "Guests may stay for one day.")
    outcome = _find("quantum chromodynamics")
    assert (outcome.status, outcome.passages, outcome.degraded) == ("empty", (), ())


def test_at_most_three_chunks_of_a_page(in_tenant: Tenant, llm: Any) -> None:
    _save("Long", *[f"Locker number {number} is blue and stands in the locker room." for number in range(8)])
    _save("Short", "One locker is free.")
    outcome = _find("locker room")
    assert [passage.slug for passage in outcome.passages].count("long") == 3
    assert "short" in {passage.slug for passage in outcome.passages}
    assert outcome.dropped == 5


def test_the_limit_is_clamped(in_tenant: Tenant, llm: Any) -> None:
    for number in range(4):
        _save(f"Desk {number}", f"The desk in room {number} is free.")
    assert len(_find("desk", limit=2).passages) == 2
    assert len(_find("desk", limit=-5).passages) == 1
    assert len(_find("desk", limit=10_000).passages) == 4


def test_neighbours_come_along_once_and_shortened(in_tenant: Tenant, llm: Any) -> None:
    _save(
        "Book",
        "Nothing here at all, " + "padding " * 100,
        "The zeppelin lands at noon.",
        "Afterwards there is tea.",
    )
    passages = _find("zeppelin").passages
    assert passages[0].text.endswith("The zeppelin lands at noon.")
    before, after = passages[0].neighbors
    assert before.startswith("Part 0") and len(before) == 600
    assert after == "Part 2\n\nAfterwards there is tea."


def test_a_chunk_that_is_a_result_is_nobodys_neighbour(in_tenant: Tenant, llm: Any) -> None:
    _save("Book", "The zeppelin lands at noon.", "The zeppelin leaves at one.", "Afterwards there is tea.")
    passages = _find("zeppelin").passages
    shown = [passage.text for passage in passages]
    beside = [text for passage in passages for text in passage.neighbors]
    assert len(shown) == 2
    assert beside == ["Part 2\n\nAfterwards there is tea."]


@pytest.mark.parametrize(
    "query",
    [
        "- " * 40,
        "----- forwarded -----",
        "-refunds",
        "who is it?",
        "???",
        "😀",
        "PR-204-17",
        '"unclosed quote',
        "gpt-4 or claude",
        "правила",
        "",
        "   ",
        "x" * 5_000,
        "word " * 20_000,
        "a\x00b \ud800",
        "'; DROP TABLE knowledge_pages; --",
        "%s %(tenant)s {scope}",
    ],
)
def test_no_query_is_an_error(in_tenant: Tenant, llm: Any, query: str) -> None:
    """RET-02, on pages."""
    _save("Refunds", "Refunds are paid within a week.")
    _save("Guests", "Guests may stay for one day.")
    outcome = _find(query)
    assert outcome.status in {"found", "empty"} and outcome.degraded == ()
    by_words = {seen.ref for seen in outcome.flight.lanes.get("keyword") or ()}
    assert by_words == ({"refunds#0"} if query == "-refunds" else set())


def test_identifiers_with_hyphens_and_other_scripts_are_found(in_tenant: Tenant, llm: Any) -> None:
    _save("Tickets", "The ticket PR-204-17 is closed.")
    _save("Правила", "Гости могут остаться на один день.")
    assert _find("204-17").passages[0].slug == "tickets"
    assert _find("ПРАВИЛА").passages[0].slug == "pravila"


def test_query_count_does_not_grow_with_results(
    in_tenant: Tenant, llm: Any, django_assert_num_queries: Any
) -> None:
    _save("Desk", "The desk is free.")
    _find("desk")
    # The usage of the embedder, the hits, once more after the model reread them, their neighbours; the lanes and
    # the words' frequencies go past Django.
    with django_assert_num_queries(4):
        _find("desk")
    for number in range(12):
        _save(f"Desk {number}", *[f"The desk number {number} in row {row}." for row in range(4)])
    with django_assert_num_queries(4):
        assert len(_find("desk", limit=25).passages) > 10


def test_chunks_without_vectors_are_still_found_by_words(in_tenant: Tenant, llm: Any) -> None:
    _save("Desk", "The desk is free.")
    KnowledgeChunk.objects.update(embedding=None, embedder=None)
    outcome = _find("desk")
    assert (outcome.status, outcome.degraded) == ("partial", ("vector",))
    assert len(outcome.passages) == 1
