"""What a question looks for among Slack messages: phrases, words, patterns; pure (contract §10.3)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from apps.knowledge.retrieval.keyword_query import clean_tokens
from apps.knowledge.slack_index.normalized import GRAM, normalized_text, trigrams

MAX_TERMS = 8
MAX_CANDIDATE_TERMS = 64
MIN_NORMALIZED_CHARS = 4
# Postgres refuses query words above 2 KB and grows slow on endless ones.
_ENDLESS_WORD = re.compile(r"\S{101,}")
# A dash says "not" only right before a word; rows of dashes are decoration.
_LOOSE_DASHES = re.compile(r"-{2,}|(?<!\S)-(?!\w)|(?<!\w)-(?=\s|$)")


@dataclass(frozen=True)
class Asked:
    """A question taken apart; ``terms`` are its words of three letters and more, before stop words are taken out."""

    text: str
    websearch: str
    words: str
    normalized: str
    terms: tuple[str, ...]


def asked(question: str) -> Asked:
    """Takes a question apart."""
    tokens = clean_tokens(question)
    normal = normalized_text(question)
    return Asked(
        text=question,
        websearch=_LOOSE_DASHES.sub(" ", _ENDLESS_WORD.sub(" ", question)),
        words=" ".join(tokens),
        normalized=normal if len(normal) >= MIN_NORMALIZED_CHARS else "",
        terms=tuple(token for token in tokens if len(token) >= GRAM)[:MAX_CANDIDATE_TERMS],
    )


def containing(text: str) -> str:
    """The LIKE pattern of what contains a text, in which nothing of the text is a wildcard."""
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def grams_of(text: str) -> list[str]:
    """The trigrams a row must have to contain this text; none when it is too short for any."""
    return trigrams(normalized_text(text))
