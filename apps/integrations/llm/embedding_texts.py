"""Cutting a text to what the embedder takes: about 8,000 tokens (contract §3.2)."""

from __future__ import annotations

import re

from apps.integrations.llm.outgoing import sendable

TOKENS = 8_000
_ASCII_PER_TOKEN = 3  # prose has about four characters a token, tables and addresses fewer
_NON_ASCII = re.compile(r"[^\x00-\x7f]")


def is_blank(text: str) -> bool:
    return not text.replace("\x00", "").strip()


def sized(text: str) -> str:
    """The text, sendable and cut where a cautious estimate reaches the limit."""
    text = sendable(text)
    if len(text) <= TOKENS:
        return text
    head = text[: TOKENS * _ASCII_PER_TOKEN]
    others = len(_NON_ASCII.findall(head))
    # A character outside ASCII is counted as a whole token.
    return head if _estimate(len(head), others) <= TOKENS else _cut(head)


def safest(text: str) -> str:
    """Cut to as many bytes as tokens are allowed: a token is never less than a byte."""
    return text.encode()[:TOKENS].decode(errors="ignore")


def _estimate(characters: int, others: int) -> float:
    return (characters - others) / _ASCII_PER_TOKEN + others


def _cut(text: str) -> str:
    budget = float(TOKENS)
    for position, character in enumerate(text):
        budget -= 1 / _ASCII_PER_TOKEN if character.isascii() else 1
        if budget < 0:
            return text[:position]
    return text
