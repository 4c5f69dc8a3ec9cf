"""Does a cleaned text still say what its document says? Pure (contract §11.2)."""

from __future__ import annotations

import re

MIN_SHARED = 0.65
MIN_FIGURES = 0.9
# Beside it a few new words weigh nothing: a heading, "and".
SLACK_WORDS = 6
_RUN = re.compile(r"\w+")
_IDEOGRAPHS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_FIGURE = re.compile(r"\d[\d.,:\u00a0\u202f ]*\d|\d\d")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+|https?://[^\s<>\"')]+", re.IGNORECASE)
_NOT_DIGIT = re.compile(r"\D")


def is_faithful(made: str, *, original: str, keep: float) -> bool:
    """True when the made text is drawn from the original and keeps at least this share of its length."""
    if len(made) < min(len(original) * keep, len(original)) or not made.strip():
        return False
    return _draws_from(made, original) and _invents_no_figure(made, original)


def _draws_from(made: str, original: str) -> bool:
    words, known = _words(made), _words(original)
    new = len(words - known)
    return new <= SLACK_WORDS or 1 - new / len(words) >= MIN_SHARED


def _invents_no_figure(made: str, original: str) -> bool:
    if not {found.rstrip(".,") for found in _ADDRESS.findall(made)} <= {
        found.rstrip(".,") for found in _ADDRESS.findall(original)
    }:
        return False
    digits = _NOT_DIGIT.sub("", original)
    figures = [_NOT_DIGIT.sub("", found) for found in _FIGURE.findall(made)]
    known = sum(figure in digits for figure in figures)
    return not figures or known / len(figures) >= MIN_FIGURES


def _words(text: str) -> set[str]:
    """Words; scripts without spaces give pairs of signs."""
    found: set[str] = set()
    for run in _RUN.findall(text.casefold()):
        if _IDEOGRAPHS.search(run):
            found.update(run[at : at + 2] for at in range(max(1, len(run) - 1)))
        else:
            found.add(run)
    return found
