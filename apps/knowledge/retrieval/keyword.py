"""The keyword lane of pages: any word of the question, ranked by how much it tells (contract §10.2).

The ranking is BM25 over the stored text vectors and the tenant's word frequencies. ``SEARCH_KEYWORD_RANK=spec``, and
a tenant whose words have not been counted yet, rank by how densely the words stand together instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from apps.foundation.environment import env
from apps.knowledge.retrieval.execution import Row, Statement, run_statements
from apps.knowledge.retrieval.keyword_query import or_query, spaced_words
from apps.knowledge.retrieval.scope import Scope
from apps.knowledge.retrieval.tables import CHUNKS
from apps.knowledge.retrieval.word_weights import AskedWord, Corpus, match_set, weight
from apps.tenancy.context import current_tenant_id

LANE_LIMIT = 20
# BM25's constants: how soon repeating a word stops counting, and how much length matters.
K1 = 1.2
B = 0.75

_WORDS = """
SELECT asked.lexeme, cardinality(asked.positions), COALESCE(f.ndoc, 0), s.n, s.avgdl
FROM keyword_stats s, unnest(to_tsvector('english', %(words)s)) AS asked
LEFT JOIN keyword_df f ON f.tenant_id = %(tenant)s AND f.lexeme = asked.lexeme
WHERE s.tenant_id = %(tenant)s AND s.n > 0
"""
# Marking the asked words and keeping only the marked ones leaves a handful to unnest instead of a hundred.
_BM25 = """
SELECT best.id, {source}, best.score, {ref}
FROM (
    SELECT k.id, (
        SELECT sum((%(weights)s::float8[])[array_position(%(lexemes)s::text[], found.lexeme)]
            * cardinality(found.positions)
            / (cardinality(found.positions) + k.doc_len * %(per_word)s::float8 + %(base)s::float8))
        FROM unnest(ts_filter(setweight(k.search_tsv, 'A', %(lexemes)s::text[]), '{{a}}')) AS found
    ) AS score
    FROM knowledge_chunks k WHERE {scope} AND k.search_tsv @@ %(matching)s::tsquery
    ORDER BY score DESC, k.id LIMIT %(limit)s
) best JOIN knowledge_chunks k USING (id)
ORDER BY best.score DESC, best.id
"""
_COVER_DENSITY = """
SELECT k.id, {source}, ts_rank_cd(k.search_tsv, words, 32) AS rank, {ref}
FROM knowledge_chunks k, to_tsquery('english', %(words)s) AS words
WHERE {scope} AND k.search_tsv @@ words
ORDER BY rank DESC, k.id LIMIT %(limit)s
"""


@dataclass(frozen=True)
class KeywordLane:
    """The statement of the lane, rows of (chunk id, page id, rank, ref), best first, and how it ranks.

    ``wider`` lets passages in by every word. It is for an asker from whom the audience hides what the rarer words
    stand in: ``expected`` is how many rows these should have brought.
    """

    statement: Statement
    ranking: str
    wider: Statement | None = None
    expected: int = 0

    def second(self, rows: Sequence[Row]) -> Statement | None:
        """Did the rarer words bring less than they would bring somebody who sees everything?"""
        return self.wider if len(rows) < self.expected else None


def keyword_lane(query: str, *, scope: Scope, limit: int = LANE_LIMIT) -> KeywordLane | None:
    """The lane for a question; None without a word to look for."""
    words = or_query(query)
    if words is None:
        return None
    if env().search_keyword_rank == "bm25" and (asked := _asked(query)):
        return _weighed(*asked, scope=scope, limit=limit)
    return KeywordLane(_cover_density(words, scope=scope, limit=limit), "spec")


def _asked(query: str) -> tuple[list[AskedWord], Corpus] | None:
    """The question's words with their frequencies; None when those are not known or no word tells anything."""
    parameters = {"words": spaced_words(query), "tenant": current_tenant_id()}
    rows = run_statements([Statement("words", _WORDS, parameters)])["words"]
    return _read(rows) if rows else None


def _read(rows: Sequence[Row]) -> tuple[list[AskedWord], Corpus]:
    words = [AskedWord(lexeme, said, passages) for lexeme, said, passages, _, _ in rows]
    return words, Corpus(passages=rows[0][3], average_length=max(rows[0][4], 1.0))


def _weighed(words: Sequence[AskedWord], corpus: Corpus, *, scope: Scope, limit: int) -> KeywordLane:
    matching = match_set(words, corpus=corpus)
    rare = _bm25(words, corpus, matching=matching, scope=scope, limit=limit)
    if len(matching) == len(words):
        return KeywordLane(rare, "bm25")
    wider = _bm25(words, corpus, matching=words, scope=scope, limit=limit)
    return KeywordLane(rare, "bm25", wider, min(limit, max(word.passages for word in matching)))


def _bm25(
    words: Sequence[AskedWord], corpus: Corpus, *, matching: Sequence[AskedWord], scope: Scope, limit: int
) -> Statement:
    return Statement(
        name="keyword",
        sql=_written(_BM25, scope=scope),
        parameters={
            **scope.parameters,
            "lexemes": [word.lexeme for word in words],
            "weights": [weight(word, corpus=corpus) for word in words],
            "matching": " | ".join(_quoted(word.lexeme) for word in matching),
            "base": K1 * (1 - B),
            "per_word": K1 * B / corpus.average_length,
            "limit": limit,
        },
    )


def _cover_density(words: str, *, scope: Scope, limit: int) -> Statement:
    return Statement(
        name="keyword",
        sql=_written(_COVER_DENSITY, scope=scope),
        parameters={**scope.parameters, "words": words, "limit": limit},
    )


def _written(sql: str, *, scope: Scope) -> str:
    return sql.format(scope=scope.condition, source=CHUNKS.source, ref=CHUNKS.ref)


def _quoted(lexeme: str) -> str:
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
