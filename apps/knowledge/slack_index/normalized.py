"""Text reduced to its letters and digits, so that PR-204-17 and "pr 204 17" are the same; pure (contract §10.3)."""

from __future__ import annotations

import unicodedata

GRAM = 3


def normalized_text(text: str) -> str:
    """Lower case, without anything that belongs to no word: what ``processed_slack_messages`` stores beside a text."""
    return "".join(char for char in text.lower() if _belongs_to_word(char))


def trigrams(normalized: str) -> list[str]:
    """Every run of three characters once: whatever contains the text has all of them."""
    return sorted({normalized[at : at + GRAM] for at in range(len(normalized) - GRAM + 1)})


def _belongs_to_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char).startswith("M")
