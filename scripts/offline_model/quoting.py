"""Choosing the sentences that bear on a question, passage by passage."""

from __future__ import annotations

from dataclasses import dataclass

from scripts.offline_model.embedder import Embedder
from scripts.offline_model.passages import Passage
from scripts.offline_model.words import coverage, stems

_PASSAGES = 12
_SENTENCES = 40  # six milliseconds each
_FROM_THE_BEST = 3
_FROM_ANOTHER = 2
_CLOSE = 0.1  # another passage is quoted as well when it fits nearly as well
# Measured on the demo pages: answers score .6 and more, sentences about something else below .4.
RELEVANT = 0.42


@dataclass(frozen=True, kw_only=True)
class Quote:
    passage: Passage
    sentences: tuple[str, ...]  # in the order they stand there


@dataclass(frozen=True, kw_only=True)
class _Scored:
    score: float
    order: int
    text: str
    passage: Passage


def quotes(part: str, found: list[Passage], *, embedder: Embedder) -> list[Quote]:
    """What to quote for one part of a question; nothing when nothing fits."""
    ranked = _ranked(part, found[:_PASSAGES], embedder=embedder)
    if not ranked or ranked[0].score < RELEVANT:
        return []
    best = ranked[0]
    others = [
        other for other in ranked if other.passage != best.passage and other.score >= best.score - _CLOSE
    ]
    chosen = [_quote(best, ranked, most=_FROM_THE_BEST)]
    if others and others[0].score >= RELEVANT:
        chosen.append(_quote(others[0], ranked, most=_FROM_ANOTHER))
    return chosen


def _ranked(part: str, found: list[Passage], *, embedder: Embedder) -> list[_Scored]:
    said = stems(part)
    told = [(text, passage) for passage in found for text in passage.sentences]
    # Words are cheap to compare: they decide which sentences are worth understanding.
    worth = sorted(range(len(told)), key=lambda order: -_in_common(said, *told[order]))[:_SENTENCES]
    scored = [
        _Scored(
            score=_score(part, said, *told[order], embedder=embedder),
            order=order,
            text=told[order][0],
            passage=told[order][1],
        )
        for order in worth
    ]
    return sorted(scored, key=lambda entry: (-entry.score, entry.order))


def _score(part: str, said: frozenset[str], text: str, passage: Passage, *, embedder: Embedder) -> float:
    """Meaning and words; the title lends its subject to a sentence that only says "it"."""
    meaning = embedder.similarity(part, f"{passage.title}: {text}")
    about = embedder.similarity(part, passage.heading)
    return 0.8 * meaning + 0.2 * about + 0.3 * _in_common(said, text, passage)


def _in_common(said: frozenset[str], text: str, passage: Passage) -> float:
    return coverage(said, stems(f"{passage.heading} {text}"))


def _quote(best: _Scored, ranked: list[_Scored], *, most: int) -> Quote:
    enough = max(RELEVANT, best.score - 0.2)
    same = [entry for entry in ranked if entry.passage == best.passage and entry.score >= enough][:most]
    texts = {entry.order: entry.text for entry in sorted(same, key=lambda entry: entry.order)}
    return Quote(passage=best.passage, sentences=tuple(dict.fromkeys(texts.values())))
