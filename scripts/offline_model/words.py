"""Words as they are compared: lower case, without endings, without the ones that say nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_ENDINGS = ("ings", "ing", "ied", "ies", "ed", "es", "s", "ly")


def vocabulary(text: str) -> frozenset[str]:
    """A set of words, written as one text."""
    return frozenset(text.split())


EMPTY = vocabulary(
    """
    a about actually again all also am an and any anyone anything are as at be because been before being but by
    can could did do does doing done each for from get gets give go going got had has have having he her here
    him his how i if in into is it its just know let like me may might mine more most much must my need no not
    of off on one only or our out over please quite really same shall she should show so some somebody someone
    something such sure tell than that the their them then there these they this those to too up us very want
    was we well were what when where whether which who whom whose why will with within without would yes yet you
    your
    """
)


def words(text: str) -> list[str]:
    return [word.replace("’", "'").removesuffix("'s") for word in _WORD.findall(text.lower())]


def stem(word: str) -> str:
    """Crude on purpose: both sides of every comparison are cut alike."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            root = word[: -len(ending)]
            return root + "y" if ending in {"ied", "ies"} else root.removesuffix("e")
    return word.removesuffix("e") if len(word) > 3 else word


def stems(text: str) -> frozenset[str]:
    """The words that carry the meaning."""
    return frozenset(stem(word) for word in content(text) if not word.isdecimal())


def content(text: str) -> list[str]:
    return [word for word in words(text) if word not in EMPTY]


def coverage(wanted: Iterable[str], given: frozenset[str]) -> float:
    """How much of what is wanted is there, from 0 to 1."""
    all_wanted = frozenset(wanted)
    return len(all_wanted & given) / len(all_wanted) if all_wanted else 0.0
