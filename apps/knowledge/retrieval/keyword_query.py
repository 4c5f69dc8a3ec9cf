"""Turns a question into the words the keyword lane looks for; pure (contract §10.2)."""

from __future__ import annotations

import re
import unicodedata

MAX_TOKENS = 64
MIN_TOKEN_CHARS = 2
# Postgres refuses a query word above 2046 bytes; no word anybody looks for comes near.
MAX_TOKEN_CHARS = 100
MAX_QUERY_CHARS = 20_000
_HYPHENATED_NUMBER = re.compile(r"(?<=\w)-(\d+)\b")


def clean_tokens(query: str) -> tuple[str, ...]:
    """The distinct lower-case words of a question, in order: letters, digits and their marks of any script."""
    return tuple(dict.fromkeys(_words(query)))[:MAX_TOKENS]


def hyphenated_numbers(query: str) -> tuple[str, ...]:
    """The numbers of identifiers such as PR-204-17, which Postgres's text parser stores as negative: -204, -17."""
    found = _HYPHENATED_NUMBER.findall(query[:MAX_QUERY_CHARS])
    return tuple(dict.fromkeys(f"-{number}" for number in found if len(number) <= MAX_TOKEN_CHARS))[
        :MAX_TOKENS
    ]


def or_query(query: str) -> str | None:
    """The text of a ``to_tsquery`` that matches any of the words; nothing when there is none to look for."""
    tokens = clean_tokens(query)
    if not tokens:
        return None
    return " | ".join(f"'{token}'" for token in (*tokens, *hyphenated_numbers(query)))


def spaced_words(query: str) -> str:
    """The question's words as a text for ``to_tsvector``, repeated as often as they were said."""
    tokens = _words(query)[:MAX_TOKENS]
    return " ".join([*tokens, *hyphenated_numbers(query)])


def _words(query: str) -> list[str]:
    text = query[:MAX_QUERY_CHARS].lower()
    spaced = "".join(char if _belongs_to_word(char) else " " for char in text)
    return [word for word in spaced.split() if MIN_TOKEN_CHARS <= len(word) <= MAX_TOKEN_CHARS]


def _belongs_to_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char).startswith("M")
