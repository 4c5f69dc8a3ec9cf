"""Arguments as the record keeps them: nothing secret, nothing endless (contract §4.7)."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from apps.agent.kernel.arguments import canonical
from apps.agent.kernel.plain import plain
from apps.foundation.text import clean, kept_apart

REDACTED = "[redacted]"
TEXT_LIMIT = 400
ITEMS_LIMIT = 40
DEPTH_LIMIT = 6

_SECRET_NAME = re.compile(
    r"pass(?:word|wd|phrase|code)|secret|credential|authori[sz]ation|cookie|signature|private[_-]?key|api[_-]?key"
    r"|access[_-]?key|(?:^|[_-])(?:token|auth|pin|otp|cvv|cvc|ssn|iban|pwd|jwt|bearer)(?:$|[_-])|token$"
    r"|card_?number|account_?number|security_?code|passwort|kennwort|contraseña|mot_?de_?passe|wachtwoord",
    re.IGNORECASE,
)
# Several of a kind; as a number it counts them ("max_tokens").
_SECRET_NAMES = re.compile(r"(?:^|[_-])(?:token|pin|otp|jwt|iban|ssn|bearer)s$|tokens$", re.IGNORECASE)
_COUNT = re.compile(r"\d{1,9}")
_NUMBERED = re.compile(r" \(\d+\)\Z")
_WORD_BREAK = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# What says that a word after it is one: "password hunter2", not "password reset".
_ANNOUNCING = (
    r"(?<![^\W_])(?:passwords?|passwd|pass(?:code|phrase)s?"
    r"|passwort|kennwort|contraseña|senha|mot\ de\ passe|wachtwoord"
    r"|pwd|secret|api[ _-]?key|token|pin(?:\ (?:code|number))?"
    r"|(?:access|security|door|entry|gate|alarm|verification|login|one-time)\ code)"
)
# What is said of a secret without telling it: "the password is wrong".
_ORDINARY = (
    r"(?:not|no|on|in|at|with|by|under|over|the|an?|our|your|my|their|his|her|its|it|that|this|what|wrong|right|correct"
    r"|incorrect|invalid|valid|required|needed|missing|expired|empty|set|unset|changed|reset|sent|shared|written|stored"
    r"|kept|known|unknown|lost|gone|forgotten|too|very|only|always|never|now|still|also|being|there|here|same|safe|weak"
    r"|strong|short|long|case|optional|available|confidential|private|secret|up|out|ready|used|for|to)\b(?![@#$%^&*+=~!-])"
)
_SECRET_TEXT = re.compile(
    r"""
      -----BEGIN[ A-Z]*PRIVATE\ KEY-----.*?(?:-----END[ A-Z]*PRIVATE\ KEY-----|\Z)
    | \beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*
    | \b(?:rpk|sk|pk|rk|ghp|gho|ghs|glpat|xox[abeprs]|xapp|AKIA|ASIA|AIza|ya29)[_.-]?[\w.-]{14,}
    | (?<![\w-])(?:Bearer|Basic)\s+[\w+/=.~-]{8,}
    | (?<=://)[^\s/@:]{0,200}:[^\s/@]{1,200}(?=@)
    | (?<=[?&;#])(?:[\w.-]{0,40}[_.-])?
      (?:tokens?|key|api_?key|secret|pass(?:word|wd|code|phrase)?|pwd|pin|otp|sig|signature|code|auth(?:orization)?|jwt
        |bearer|credentials?|session(?:_?id)?|sid|ticket)=[^\s&#;]+
    | SECRET_WORD\\?["'’]?(?:\s*[:=]|\s+(?:is|was|ist|es|est)\s+(?!ORDINARY))\s*\S+
    | SECRET_WORD\s+(?:for|of|to|at|on)(?:\s+[\w'’-]{1,30}){1,4}?\s*(?:[:=]|\s(?:is|was)\s+(?!ORDINARY))\s*\S+
    | SECRET_WORD\s+["“‘'](?=\S)[^"”’'\n]{1,80}["”’']
    | SECRET_WORD\s+(?:(?=[^\s\d]*\d)\S{4,}|[\w.-]*[@#$%^&*+=~!](?=\w)\S+)
    | (?<![\w+-])(?:\d[ -]?){13,19}(?![\w-])
    | \b(?=\d*[a-f])[0-9a-f]{40,}\b
    | (?<![\w/+-])(?-i:(?=[\w+/=]*\d)(?=[\w+/=]*[a-z])(?=[\w+/=]*[A-Z]))[\w+/=]{40,}(?![\w/-])
    """.replace("SECRET_WORD", _ANNOUNCING).replace("ORDINARY", _ORDINARY),
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)


def redacted(arguments: dict[str, Any], *, limit: int = TEXT_LIMIT) -> dict[str, Any]:
    """The arguments with secrets replaced and long values cut; always plain data a database can hold."""
    kept: dict[str, Any] = _kept(plain(_apart(arguments, {}, depth=0)), limit=limit, depth=0)
    return kept


def redacted_text(text: str, *, limit: int = TEXT_LIMIT) -> str:
    """A text without what looks like a secret, at most ``limit`` characters and a note of how many more."""
    # Looked through a bit beyond the cut, so that half a key at the edge is recognised as well.
    shown = _SECRET_TEXT.sub(REDACTED, clean(text[: limit * 4]))
    if len(shown) <= limit and len(text) <= limit * 4:
        return shown
    return f"{shown[:limit]}… [{len(text)} characters]"


def digest(arguments: dict[str, Any]) -> str:
    """Tells whether two calls had the same arguments, without keeping them."""
    return hashlib.sha256(canonical(plain(arguments)).encode()).hexdigest()


def _kept(value: Any, *, limit: int, depth: int) -> Any:
    if isinstance(value, str):
        return redacted_text(value, limit=limit)
    if isinstance(value, dict):
        return _object(value, limit=limit, depth=depth)
    if isinstance(value, list):
        if depth >= DEPTH_LIMIT:
            return f"[{len(value)} items]"
        shown = [_kept(item, limit=limit, depth=depth + 1) for item in value[:ITEMS_LIMIT]]
        more = len(value) - len(shown)
        return [*shown, f"[{more} more items]"] if more > 0 else shown
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**12:
        return redacted_text(str(value))
    return value


def _object(value: dict[str, Any], *, limit: int, depth: int) -> Any:
    if depth >= DEPTH_LIMIT:
        return f"[{len(value)} fields]"
    shown = kept_apart(
        (
            redacted_text(name, limit=100),
            REDACTED if _is_secret(name, item) else _kept(item, limit=limit, depth=depth + 1),
        )
        for name, item in list(value.items())[:ITEMS_LIMIT]
    )
    if len(value) > ITEMS_LIMIT:
        shown["…"] = f"[{len(value) - ITEMS_LIMIT} more fields]"
    return shown


def _is_secret(name: str, item: Any) -> bool:
    if item in (None, "", [], {}) or isinstance(item, bool):
        return False
    words = _WORD_BREAK.sub("_", _NUMBERED.sub("", name))
    if _SECRET_NAME.search(words):
        return True
    counts = isinstance(item, (int, float)) or (isinstance(item, str) and _COUNT.fullmatch(item) is not None)
    return not counts and _SECRET_NAMES.search(words) is not None


def _apart(value: Any, known: dict[int, Any], *, depth: int) -> Any:
    """Names that cleaning makes equal get numbers before it: neither argument may vanish from the record."""
    if not isinstance(value, (dict, list)) or depth > DEPTH_LIMIT:
        return value
    if id(value) in known:
        return known[id(value)]
    inner = depth + 1
    if isinstance(value, dict):
        copied: dict[str, Any] = {}
        known[id(value)] = copied
        copied |= kept_apart(
            (clean(str(name)), _apart(item, known, depth=inner)) for name, item in value.items()
        )
        return copied
    items: list[Any] = []
    known[id(value)] = items
    items += [_apart(item, known, depth=inner) for item in value]
    return items
