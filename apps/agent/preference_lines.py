"""Which saved preferences a turn's prompt holds, in which order and in which words (contract §4.5, §A.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from apps.agent.models import MemberPreference, PreferenceScope, PreferenceType
from apps.agent.preferences import LONGEST_INSTRUCTIONS
from apps.foundation.text import normalized, one_line

MOST_SHOWN: Final = 100
MOST_CHARACTERS: Final = 12_000
_LINE_LENGTH: Final = LONGEST_INSTRUCTIONS
_NO_WORD: Final = re.compile(r"[^\w]+")
# Thai to Khmer, kana, Han, Hangul: written without spaces, or with endings that stick to the word.
_UNSPACED: Final = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def preference_lines(
    preferences: Iterable[MemberPreference],
    *,
    channel: str,
    message: str,
    history: Sequence[dict[str, Any]] = (),
) -> tuple[str, ...]:
    """The wishes that hold here, most binding first.

    A wish with a trigger phrase waits until the person writes that phrase. What they just wrote goes before
    what they wrote earlier, this channel's wishes before those for everywhere, and the latest before older ones.
    """
    now, before = _spoken(message), _spoken(" \n ".join(_own_words(history)))
    ranked = [(_rank(each, now, before), each) for each in preferences if _holds_on(channel, each)]
    held = sorted(((rank, each) for rank, each in ranked if rank is not None), key=lambda pair: pair[0])
    return tuple(_that_fit(preference_line(each) for _, each in held))


def preference_line(preference: MemberPreference) -> str:
    """One wish as one line that cannot pose as anything else."""
    said = one_line(preference.instructions, limit=_LINE_LENGTH)
    phrase, meaning = one_line(preference.trigger_phrase), one_line(preference.canonical_value)
    if preference.preference_type == PreferenceType.NICKNAME_ALIAS and phrase and meaning:
        return f"says {_quoted(phrase)}, means {_quoted(meaning)} ({said})"
    if meaning and meaning.casefold() not in said.casefold():
        said = f"{said} ({meaning})"
    return f"on {_quoted(phrase)}: {said}" if phrase else said


def _holds_on(channel: str, preference: MemberPreference) -> bool:
    return preference.channel_scope in {PreferenceScope.ALL, channel}


def _rank(preference: MemberPreference, now: str, before: str) -> tuple[int, int] | None:
    """Lower binds more; None is a phrase nobody spoke."""
    phrase = _spoken(preference.trigger_phrase)
    if _UNSPACED.search(phrase):
        phrase = phrase.strip()
    spoken = _first_with(phrase, now, before) if phrase.strip() else 2
    if spoken is None:
        return None
    return spoken, 1 if preference.channel_scope == PreferenceScope.ALL else 0


def _first_with(phrase: str, *texts: str) -> int | None:
    return next((number for number, text in enumerate(texts) if phrase in text), None)


def _spoken(text: str) -> str:
    """Words with single spaces between and around them, so that a phrase is found whole and in any case."""
    return f" {_NO_WORD.sub(' ', normalized(text)).strip()} "


def _own_words(history: Sequence[dict[str, Any]]) -> list[str]:
    return [str(entry.get("content") or "") for entry in history if entry.get("role") == "user"]


def _quoted(text: str) -> str:
    return '"' + text.replace('"', "'") + '"'


def _that_fit(lines: Iterable[str]) -> Iterable[str]:
    left = MOST_CHARACTERS
    for shown, line in enumerate(lines):
        left -= len(line)
        if shown >= MOST_SHOWN or left < 0:
            return
        yield line
