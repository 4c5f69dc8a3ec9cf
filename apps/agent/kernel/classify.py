"""Is a text of the model an answer, a plan, or one of four kinds of nothing (contract §4.2, §4.4)."""

import re
import unicodedata
from typing import Literal

from apps.agent.kernel.constants import (
    MIN_RESPONSE_LENGTH_AFTER_TOOLS,
    PLAN_MAX_BULLET_LENGTH,
    PLAN_MAX_TOTAL_LENGTH,
    PLAN_MAX_TRAILING_PROSE,
    PLAN_MIN_BULLETS,
)
from apps.agent.kernel.plain import visible

NonAnswer = Literal["empty", "sources_only", "emoji_only", "trivially_short_after_tools"]

_BULLET = re.compile(r"\s*(?:[-*+•‣◦▪●·–—]|\d{1,2}[.)])\s+(?P<text>.*)")
_SENTENCE_WORDS = 6
_SHORTCODE = re.compile(r":[a-z][a-z0-9_+'-]*:|:[+-]1:")
# Digits of a keycap and letters drawn as pictures are emoji although Unicode files them elsewhere.
_PICTURED = re.compile(r"[0-9#*]\ufe0f?\u20e3|.\ufe0f", re.DOTALL)
_SKIN_TONES = frozenset("\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
_SOURCES_HEADING = re.compile(
    r"[\W_]*(?:sources?|references?|citations?|quellen?|fuentes?|fonti|fontes?)\s*[*_]*\s*"
    r"(?P<colon>:)?[*_]*(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_REFERENCE_LINE = re.compile(r"\s*(?:[-*+•‣◦]|\[?\^?\d{1,3}[\].):]|<?https?://|\[[^\]]*\]\(|_|[([<]).*")


def non_answer_reason(text: str | None, *, tools_ran: bool) -> NonAnswer | None:
    """None means: this can be sent."""
    body = visible(text or "").strip()
    if not _has_words(body):
        return "emoji_only" if _has_emoji(body) else "empty"
    if _is_sources_only(body):
        return "sources_only"
    # Code points, as the constant is given; a short answer in wide characters gets one nudge too many.
    if tools_ran and len(body) < MIN_RESPONSE_LENGTH_AFTER_TOOLS:
        return "trivially_short_after_tools"
    return None


def is_plan_shaped(text: str | None) -> bool:
    """Short bullets with next to nothing behind them: an announcement, not an answer."""
    body = (text or "").strip()
    if len(body) > PLAN_MAX_TOTAL_LENGTH:
        return False
    lines = body.splitlines()
    bullets = _bullets(lines)
    if len(bullets) < PLAN_MIN_BULLETS:
        return False
    trailing = "\n".join(lines[max(bullets) + 1 :]).strip()
    short = all(len(bullet.strip()) <= PLAN_MAX_BULLET_LENGTH for bullet in bullets.values())
    return short and len(trailing) <= PLAN_MAX_TRAILING_PROSE


def plan_bullets(text: str) -> list[str]:
    return [*_bullets(text.splitlines()).values()]


def _bullets(lines: list[str]) -> dict[int, str]:
    return {number: match["text"] for number, line in enumerate(lines) if (match := _BULLET.fullmatch(line))}


def _has_words(text: str) -> bool:
    rest = _PICTURED.sub("", _SHORTCODE.sub("", text))
    return any(unicodedata.category(char)[0] in "LN" for char in rest)


def _has_emoji(text: str) -> bool:
    if _SHORTCODE.search(text) or _PICTURED.search(text):
        return True
    return any(unicodedata.category(char) == "So" or char in _SKIN_TONES for char in text)


def _is_sources_only(text: str) -> bool:
    first, *others = [line for line in text.splitlines() if _has_words(line)]
    heading = _SOURCES_HEADING.fullmatch(first)
    if (
        heading is None
        or _is_sentence(heading["rest"])
        or not (heading["colon"] or not heading["rest"].strip(" *_"))
    ):
        return False
    return all(_REFERENCE_LINE.fullmatch(line) for line in others)


def _is_sentence(text: str) -> bool:
    """Told from a list of titles by its end, its length and its small letters."""
    words = [word for word in text.split() if word[0].isalpha()]
    small = sum(word[0].islower() for word in words)
    ends = text.rstrip(" *_\"')”").endswith((".", "!", "?"))
    return ends and len(words) >= _SENTENCE_WORDS and small > len(words) * 3 // 4 and "://" not in text
