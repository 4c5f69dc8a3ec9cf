"""The keyword lane against a plain BM25 in Python: the same passages in the same order."""

import math
import random
from collections import Counter
from uuid import UUID

import pytest
from django.db import connection

from apps.knowledge import frequencies
from apps.knowledge.audience import Audience
from apps.knowledge.retrieval import word_weights
from apps.knowledge.retrieval.execution import run_statements
from apps.knowledge.retrieval.keyword import KeywordLane, keyword_lane
from apps.knowledge.retrieval.scope import chunk_scope
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.knowledge.corpus import add_chunks, add_page, directions

pytestmark = pytest.mark.django_db
EVERYBODY = Audience("member")
# No English endings or stop words, so that the plain reading below needs no stemmer.
VOCABULARY = [f"zq{number}x" for number in range(400)]
CHUNKS = 600
Counted = dict[UUID, Counter[str]]


def _corpus(seed: int) -> Counted:
    chance = random.Random(seed)
    weights = [1 / (rank + 3) for rank in range(len(VOCABULARY))]
    texts = [" ".join(chance.choices(VOCABULARY, weights, k=chance.randint(5, 200))) for _ in range(CHUNKS)]
    ids = add_chunks(add_page("qq"), directions(CHUNKS, seed=seed), texts=texts)
    # The page's title stands before each text.
    return {key: Counter(["qq", *text.split()]) for key, text in zip(ids, texts, strict=True)}


def _plain(counted: Counted, words: list[str], *, matching: set[str]) -> list[tuple[UUID, float]]:
    lengths = {key: sum(counts.values()) for key, counts in counted.items()}
    average = sum(lengths.values()) / len(lengths)
    found = {word: sum(word in counts for counts in counted.values()) for word in set(words)}
    scores = {}
    for key, counts in counted.items():
        if not matching & counts.keys():
            continue
        scores[key] = sum(
            words.count(word)
            * math.log(1 + (len(counted) - found[word] + 0.5) / (found[word] + 0.5))
            * counts[word]
            / (counts[word] + 1.2 * (0.25 + 0.75 * lengths[key] / average))
            for word in set(words)
            if counts[word]
        )
    return sorted(scores.items(), key=lambda pair: (-round(pair[1], 12), pair[0]))[:20]


def _lane(query: str, audience: Audience = EVERYBODY) -> KeywordLane:
    lane = keyword_lane(query, scope=chunk_scope(audience))
    assert lane is not None
    return lane


def _rows(lane: KeywordLane) -> list[tuple[UUID, float]]:
    rows = run_statements([lane.statement])["keyword"]
    assert rows is not None
    return [(row[0], row[2]) for row in rows]


def _same(mine: list[tuple[UUID, float]], plain: list[tuple[UUID, float]]) -> bool:
    return [key for key, _ in mine] == [key for key, _ in plain] and all(
        math.isclose(ours, theirs, rel_tol=1e-9) for (_, ours), (_, theirs) in zip(mine, plain, strict=True)
    )


def test_the_top_twenty_are_those_of_a_plain_bm25(tenant: Tenant, other_tenant: Tenant) -> None:
    with tenant_context(other_tenant):
        _corpus(seed=2)
        frequencies.refresh()
    with tenant_context(tenant):
        counted = _corpus(seed=1)
        frequencies.refresh()
        chance = random.Random(3)
        for length in (1, 2, 3, 5, 8, 13, 20):
            for _ in range(6):
                words = chance.choices(VOCABULARY, k=length)
                lane = _lane(" ".join(words))
                assert lane.ranking == "bm25"
                assert _same(_rows(lane), _plain(counted, words, matching=set(words))), words


def test_in_a_large_corpus_only_the_rarer_words_let_passages_in(
    in_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_weights, "COMMON_AT_LEAST", 30)
    counted = _corpus(seed=1)
    frequencies.refresh()
    words = ["zq0x", "zq1x", "zq2x", "zq200x", "zq300x", "zq350x"]
    lane = _lane(" ".join(words))
    assert lane.wider is not None
    plain = _plain(counted, words, matching={"zq200x", "zq300x", "zq350x"})
    assert _same(_rows(lane), plain)


def test_words_of_pages_the_asker_may_not_see_do_not_starve_the_lane(
    in_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_weights, "COMMON_AT_LEAST", 5)
    hidden = add_page("hidden", audience_tiers=["mentor"])
    shown = add_page("shown")
    add_chunks(hidden, directions(4, seed=1), texts=["rareone raretwo"] * 4)
    visible = set(add_chunks(shown, directions(30, seed=2), texts=["everywhere"] * 30))
    frequencies.refresh()
    lane = _lane("rareone raretwo everywhere")
    rows = run_statements([lane.statement])["keyword"]
    assert rows == []
    second = lane.second(rows or [])
    assert second is not None
    found = run_statements([second])["keyword"]
    assert found is not None and {row[0] for row in found} <= visible and len(found) == 20


def test_without_counts_or_when_told_so_words_rank_by_cover_density(
    in_tenant: Tenant, settings: object
) -> None:
    _corpus(seed=1)
    query = "zq1x zq7x zq90x"
    assert _lane(query).ranking == "spec"
    frequencies.refresh()
    assert _lane(query).ranking == "bm25"
    settings.ENV = settings.ENV.model_copy(update={"search_keyword_rank": "spec"})  # type: ignore[attr-defined]
    lane = _lane(query)
    assert lane.ranking == "spec"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, ts_rank_cd(search_tsv, q, 32) AS rank FROM knowledge_chunks,"
            " to_tsquery('english', 'zq1x | zq7x | zq90x') q WHERE search_tsv @@ q ORDER BY rank DESC, id LIMIT 20"
        )
        assert _rows(lane) == cursor.fetchall()


@pytest.mark.parametrize(
    "query", ["'", "\\ zq1x\\", "zq1x' | 'x", "who is it", "PR-204-17", "правила дома", "😀 zq1x"]
)
def test_odd_questions_rank_like_any_other(in_tenant: Tenant, query: str) -> None:
    add_chunks(add_page("qq"), directions(2, seed=1), texts=["ticket PR-204-17 closed", "правила zq1x"])
    frequencies.refresh()
    lane = keyword_lane(query, scope=chunk_scope(EVERYBODY))
    if lane is not None:
        assert run_statements([lane.statement])["keyword"] is not None


def test_an_identifier_is_found_by_all_its_parts(in_tenant: Tenant) -> None:
    first, _ = add_chunks(
        add_page("qq"), directions(2, seed=1), texts=["ticket PR-204-17 closed", "ticket PR-99-3 open"]
    )
    frequencies.refresh()
    assert _rows(_lane("PR-204-17"))[0][0] == first
