"""Understanding a message a little: is it small talk, which parts has it, what is it about."""

from __future__ import annotations

import re

from scripts.offline_model.words import content, vocabulary, words

_PARTS = re.compile(
    r"[?!;\n]+|(?<!\d)\.(?:\s|$)|,?\s+and\s+(?=(?:who|what|when|where|which|why|how|is|are|can|do|does|may|please)\b)",
    re.IGNORECASE,
)
_GREETINGS = vocabulary("hi hello hey hiya howdy greetings morning evening afternoon")
_THANKS = vocabulary("thanks thank thx cheers ty great perfect awesome cool nice brilliant lovely")
_FAREWELLS = vocabulary("bye goodbye night")
_FILLERS = vocabulary(
    """
    there you all everyone team good so much very a lot again for the that this is was helpful help works ok
    okay yes no sure see later how are doing today it's to meet your
    """
)
_REFERRING = vocabulary("it its he his him she her they their them theirs these those")
_GOING_ON = vocabulary("and or but then also so")
_MOST_PARTS = 4
_QUESTION_WORDS = vocabulary("who whom whose what when where which why how")


def small_talk(message: str) -> str | None:
    """A friendly reply to a message that asks for nothing, else None."""
    said = frozenset(words(message))
    if said - _GREETINGS - _THANKS - _FAREWELLS - _FILLERS:
        return None
    if said & _THANKS:
        return "You're welcome! Ask whenever there is something else I can look up."
    if said & _FAREWELLS:
        return "Goodbye! I am here whenever you have a question."
    if said & _GREETINGS or not said:
        return "Hello! Ask me about the community, and I will look it up for you."
    return "All right. Tell me what you would like to know, and I will look it up."


def parts(question: str) -> list[str]:
    """A question of several parts, taken apart; always at least one."""
    found: list[str] = []
    for part in (part.strip(" ,.-") for part in _PARTS.split(question)):
        if found and _REFERRING & frozenset(words(part)):
            # "… and when are their office hours" means nothing without what came before.
            found[-1] += f", {part}"
        elif content(part):
            found.append(part)
    return found[:_MOST_PARTS] or [question]


def is_question(message: str) -> bool:
    return "?" in message or bool(_QUESTION_WORDS & frozenset(words(message)))


def with_context(question: str, *, before: str) -> str:
    """A short "And on Sundays?" means little alone, so the question before it comes along."""
    if before and _leans_on(question) and small_talk(before) is None:
        return f"{before} {question}"
    return question


def _leans_on(question: str) -> bool:
    """Short, and it goes on from something: a question with a subject of its own stands alone."""
    said = words(question)
    goes_on = bool(said) and (said[0] in _GOING_ON or bool(_REFERRING & frozenset(said)))
    return len(content(question)) < 3 and (goes_on or not _QUESTION_WORDS & frozenset(said))
