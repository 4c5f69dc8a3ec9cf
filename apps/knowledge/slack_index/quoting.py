"""Do an entry's figures and addresses stand in the messages it rests on, and is it more than a copy? Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import Final

# So many words in a row are no coincidence: an entry is to be said in words of its own.
COPIED_WORDS: Final = 25
_WORD = re.compile(r"\w+")
_FIGURE = re.compile(r"\d[\d.,:]*\d|\d{2,}")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+|https?://[^\s<>\"')]+", re.IGNORECASE)
_NOT_DIGIT = re.compile(r"\D")


class Grounding(Enum):
    """Whether an entry may stand, or the sentence that says why not."""

    SOUND = "sound"
    FIGURES = "It holds a figure that no message gives."
    ADDRESSES = "It holds an address that no message gives."
    COPIED = "It is a copy of a message, not an entry in words of its own."


def grounding(entry: str, messages: Sequence[str]) -> Grounding:
    """What can be told without a model."""
    said = "\n".join(messages)
    digits = _NOT_DIGIT.sub("", said)
    if any(_NOT_DIGIT.sub("", figure) not in digits for figure in _FIGURE.findall(entry)):
        return Grounding.FIGURES
    known = {address.rstrip(".,") for address in _ADDRESS.findall(said)}
    if not {address.rstrip(".,") for address in _ADDRESS.findall(entry)} <= known:
        return Grounding.ADDRESSES
    return Grounding.COPIED if _runs(entry) & _runs(said) else Grounding.SOUND


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return set(zip(*(words[start:] for start in range(COPIED_WORDS)), strict=False))
