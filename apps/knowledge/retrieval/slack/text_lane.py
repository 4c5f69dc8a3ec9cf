"""The text lane of Slack messages: words, phrases, names and spellings, scored together (contract §10.3).

A community of up to 5,000 messages has every message scored. Above that a message gets in by the text index or by
the trigrams of its normalised text, which whatever contains a phrase or a term has; then the same score ranks it.
Words that stand in many messages let none in, unless what they alone would bring could be among the best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from apps.knowledge.retrieval.execution import Row, Statement, run_statements
from apps.knowledge.retrieval.scope import tenant_scope
from apps.knowledge.retrieval.slack.asked import MAX_TERMS, Asked, containing, grams_of
from apps.knowledge.retrieval.tables import MESSAGES

LANE_LIMIT = 100
EVERY_MESSAGE_UP_TO = 5_000
# A word in more than this share of the messages lets in too many of them to be let in by.
COMMON_ABOVE = 0.04

# How common a word is, roughly, the planner's statistics know; of words they do not list none is common.
_READ = """
SELECT q::text, querytree(q), p::text, t.terms, t.shares
FROM websearch_to_tsquery('english', %(websearch)s) AS q, plainto_tsquery('english', %(words)s) AS p, (
    SELECT array_agg(said.term ORDER BY said.place) AS terms,
        array_agg(COALESCE(common.share, 0) ORDER BY said.place) AS shares
    FROM (
        SELECT term, place, ts_lexize('english_stem', term) AS stems
        FROM unnest(%(terms)s::text[]) WITH ORDINALITY AS given(term, place)
        WHERE ts_lexize('english_stem', term) <> '{}' ORDER BY place LIMIT %(most)s
    ) said
    LEFT JOIN (
        SELECT listed.lexeme, listed.share
        FROM pg_stats s, unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) AS listed(lexeme, share)
        WHERE s.schemaname = current_schema() AND s.tablename = 'processed_slack_messages'
            AND s.attname = 'search_tsv'
    ) common ON common.lexeme = said.stems[1]
) t
"""
# Scored once, cut, and only then asked for what a hit is shown with.
_MATCHING = """
SELECT best.id, {source}, best.score, {ref}
FROM (
    SELECT id, message_date, score
    FROM (
        SELECT id, message_date, {score} AS score
        FROM (
            SELECT k.id, k.message_date, k.search_tsv, k.normalized_text, lower(k.message_text) AS body,
                lower(k.channel_name) AS channel, lower(k.user_name) AS author
            FROM processed_slack_messages k WHERE {scope} AND {condition}{entry} OFFSET 0
        ) said OFFSET 0
    ) scored
    WHERE score > 0
    ORDER BY score DESC, message_date DESC, id LIMIT %(limit)s
) best JOIN processed_slack_messages k USING (id)
ORDER BY best.score DESC, best.message_date DESC, best.id
"""
# Compiling the long sum takes longer than reckoning it.
_SETTINGS = {"jit": "off"}
_FULL_TEXT = """COALESCE(ts_rank_cd(search_tsv, %(tsquery)s::tsquery, 32), 0) * 4::float8"""
_PHRASE = """1.25::float8 * (body LIKE lower(%(phrase)s))::int
    + 0.35::float8 * COALESCE(channel LIKE lower(%(phrase)s), false)::int
    + 0.35::float8 * COALESCE(author LIKE lower(%(phrase)s), false)::int"""
_NORMALIZED = "0.9::float8 * (normalized_text LIKE %(normalized)s)::int"
TERM_SCORE = 0.18
Entry = tuple[str, dict[str, Any]]
_EVERYTHING: Entry = ("", {})
# Sums of the same parts may differ by so much.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class TextQuery:
    """A question as Postgres reads it: the tsquery, if it has one, and the terms that are no stop words.

    ``common`` are the terms that stand in so many messages that they tell little, the most common first.
    """

    asked: Asked
    tsquery: str | None
    terms: tuple[str, ...]
    common: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TextLane:
    """The statement of the lane: rows of (id, thread, score, ref), best first.

    ``without`` makes the statement by which the so many most common terms let nothing in; the first one leaves out
    ``left_out`` of them.
    """

    statement: Statement
    limit: int
    left_out: int = 0
    without: Callable[[int], Statement | None] = field(default=lambda _: None, repr=False)

    def second(self, rows: Sequence[Row]) -> Statement | None:
        """What holds none but left-out terms scores no more than they do: does the last of these rows score more?"""
        lowest = rows[-1][2] if len(rows) == self.limit else 0.0
        harmless = max(ceil((lowest - _ROUNDING) / TERM_SCORE) - 1, 0)
        return self.without(harmless) if self.left_out > harmless else None


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
    websearch, indexable, plain, terms, shares = rows[0]
    # "T" stands for a query that everything without some word satisfies: then the bare words are looked for.
    tsquery = plain if indexable == "T" else websearch
    told = dict(zip(terms or (), shares or (), strict=True))
    common = sorted((term for term in told if told[term] > COMMON_ABOVE), key=lambda term: -told[term])
    return TextQuery(asked, tsquery or None, tuple(told), tuple(common))


def text_lane(
    query: TextQuery, *, messages: int, limit: int = LANE_LIMIT, name: str = "text"
) -> TextLane | None:
    """The lane for a community of so many messages; None when there is nothing to look for."""
    if not query.asked.text:
        return None
    if messages <= EVERY_MESSAGE_UP_TO:
        return TextLane(statement=_statement(query, _EVERYTHING, limit=limit, name=name), limit=limit)

    def without(common: int) -> Statement | None:
        left_out = query.common[:common]
        entry = _entry(query, [term for term in query.terms if term not in left_out])
        return _statement(query, entry, limit=limit, name=name) if entry else None

    # One term lets in at least.
    most = min(len(query.common), max(len(query.terms) - 1, 0))
    first = without(most)
    return TextLane(statement=first, limit=limit, left_out=most, without=without) if first else None


def _statement(query: TextQuery, entry: Entry, *, limit: int, name: str) -> Statement:
    scope = tenant_scope()
    entering, grams = entry
    score, parameters = _score(query)
    return Statement(
        name=name,
        sql=_MATCHING.format(
            source=MESSAGES.source,
            ref=MESSAGES.ref,
            score=score,
            scope=scope.condition,
            condition=MESSAGES.condition,
            entry=entering,
        ),
        parameters={**scope.parameters, **parameters, **grams, "limit": limit},
        settings=_SETTINGS,
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
        parts.append(f"{TERM_SCORE}::float8 * (body LIKE lower(%(term{number})s))::int")
        parameters[f"term{number}"] = containing(term)
    return "\n    + ".join(parts), parameters


def _entry(query: TextQuery, terms: Sequence[str]) -> Entry | None:
    """The condition by which a message of a large community gets in by these terms; None when nothing could."""
    ways = ["k.search_tsv @@ %(tsquery)s::tsquery"] if query.tsquery else []
    # What contains the whole question contains each of its terms.
    wanted = [needed for text in terms or [query.asked.text] if (needed := grams_of(text))]
    ways += [f"k.trigrams @> %(grams{number})s::text[]" for number in range(len(wanted))]
    grams = {f"grams{number}": needed for number, needed in enumerate(wanted)}
    return (f" AND ({' OR '.join(ways)})", grams) if ways else None
