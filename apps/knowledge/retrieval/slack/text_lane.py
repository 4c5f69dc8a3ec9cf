"""The text lane of Slack messages: words, phrases, names and spellings, scored together (contract §10.3).

A community of up to 5,000 messages has every message scored. Above that a message gets in by the text index or by
the trigrams of its normalised text, which whatever contains a phrase or a term has; then the same score ranks it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from apps.knowledge.retrieval.execution import Statement, run_statements
from apps.knowledge.retrieval.scope import tenant_scope
from apps.knowledge.retrieval.slack.asked import MAX_TERMS, Asked, containing, grams_of
from apps.knowledge.retrieval.tables import MESSAGES

LANE_LIMIT = 100
EVERY_MESSAGE_UP_TO = 5_000

_READ = """
SELECT q::text, querytree(q), p::text, ARRAY(
    SELECT term FROM unnest(%(terms)s::text[]) WITH ORDINALITY AS given(term, place)
    WHERE ts_lexize('english_stem', term) <> '{}' ORDER BY place LIMIT %(most)s)
FROM websearch_to_tsquery('english', %(websearch)s) AS q, plainto_tsquery('english', %(words)s) AS p
"""
_MATCHING = """
SELECT best.id, {source}, best.score, {ref}
FROM (
    SELECT id, message_date, {score} AS score
    FROM (
        SELECT k.id, k.message_date, k.search_tsv, k.normalized_text, lower(k.message_text) AS body,
            lower(k.channel_name) AS channel, lower(k.user_name) AS author
        FROM processed_slack_messages k WHERE {scope} AND {condition}{entry} OFFSET 0
    ) said
) best JOIN processed_slack_messages k USING (id)
WHERE best.score > 0
ORDER BY best.score DESC, best.message_date DESC, best.id LIMIT %(limit)s
"""
_FULL_TEXT = """COALESCE(ts_rank_cd(search_tsv, %(tsquery)s::tsquery, 32), 0) * 4"""
_PHRASE = """1.25 * (body LIKE lower(%(phrase)s))::int
    + 0.35 * COALESCE(channel LIKE lower(%(phrase)s), false)::int
    + 0.35 * COALESCE(author LIKE lower(%(phrase)s), false)::int"""
_EVERYTHING: tuple[str, dict[str, Any]] = ("", {})
_NORMALIZED = "0.9 * (normalized_text LIKE %(normalized)s)::int"


@dataclass(frozen=True)
class TextQuery:
    """A question as Postgres reads it: the tsquery, if it has one, and the terms that are no stop words."""

    asked: Asked
    tsquery: str | None
    terms: tuple[str, ...]


def read_query(asked: Asked) -> TextQuery | None:
    """How Postgres understands the question; None when it could not be asked."""
    parameters = {
        "websearch": asked.websearch,
        "words": asked.words,
        "terms": list(asked.terms),
        "most": MAX_TERMS,
    }
    rows = run_statements([Statement("words", _READ, parameters)])["words"]
    if not rows:
        return None
    websearch, indexable, plain, terms = rows[0]
    # "T" stands for a query that everything without some word satisfies: then the bare words are looked for.
    tsquery = plain if indexable == "T" else websearch
    return TextQuery(asked, tsquery or None, tuple(terms))


def text_statement(query: TextQuery, *, messages: int, limit: int = LANE_LIMIT) -> Statement | None:
    """The lane as a statement: rows of (id, thread, score, ref), best first; None when there is nothing to look for."""
    entry = _EVERYTHING if messages <= EVERY_MESSAGE_UP_TO else _entry(query)
    if not query.asked.text or entry is None:
        return None
    scope = tenant_scope()
    entering, grams = entry
    score, parameters = _score(query)
    return Statement(
        name="text",
        sql=_MATCHING.format(
            source=MESSAGES.source,
            ref=MESSAGES.ref,
            score=score,
            scope=scope.condition,
            condition=MESSAGES.condition,
            entry=entering,
        ),
        parameters={**scope.parameters, **parameters, **grams, "limit": limit},
    )


def _score(query: TextQuery) -> tuple[str, dict[str, Any]]:
    parts = [_PHRASE]
    parameters: dict[str, Any] = {"phrase": containing(query.asked.text)}
    if query.tsquery:
        parts.append(_FULL_TEXT)
        parameters["tsquery"] = query.tsquery
    if query.asked.normalized:
        parts.append(_NORMALIZED)
        parameters["normalized"] = containing(query.asked.normalized)
    for number, term in enumerate(query.terms):
        parts.append(f"0.18 * (body LIKE lower(%(term{number})s))::int")
        parameters[f"term{number}"] = containing(term)
    return "\n    + ".join(parts), parameters


def _entry(query: TextQuery) -> tuple[str, dict[str, Any]] | None:
    """The condition by which a message of a large community gets in; None when nothing could."""
    ways = ["k.search_tsv @@ %(tsquery)s::tsquery"] if query.tsquery else []
    grams: dict[str, Any] = {}
    for number, needed in enumerate(_needed_grams(query)):
        ways.append(f"k.trigrams @> %(grams{number})s::text[]")
        grams[f"grams{number}"] = needed
    return (f" AND ({' OR '.join(ways)})", grams) if ways else None


def _needed_grams(query: TextQuery) -> Sequence[list[str]]:
    """Those of the whole question and of each term."""
    wanted = [grams_of(text) for text in (query.asked.text, *query.terms)]
    return [grams for grams in wanted if grams]
