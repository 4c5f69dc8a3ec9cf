"""Arguments as the record keeps them: nothing secret, nothing endless (contract §4.7)."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from apps.agent.kernel.plain import compact, plain
from apps.foundation.text import clean

REDACTED = "[redacted]"
TEXT_LIMIT = 400
ITEMS_LIMIT = 40
DEPTH_LIMIT = 6

_SECRET_NAME = re.compile(
    r"pass(?:word|wd|phrase|code)|secret|credential|authori[sz]ation|cookie|signature|private[_-]?key|api[_-]?key"
    r"|access[_-]?key|(?:^|[_-])(?:token|auth|pin|otp|cvv|cvc|ssn|iban|pwd|jwt|bearer)(?:$|[_-])|token$"
    r"|card_?number|account_?number|security_?code",
    re.IGNORECASE,
)
_WORD_BREAK = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SECRET_TEXT = re.compile(
    r"""
      -----BEGIN[ A-Z]*PRIVATE\ KEY-----.*?(?:-----END[ A-Z]*PRIVATE\ KEY-----|\Z)
    | \beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*
    | \b(?:rpk|sk|pk|rk|ghp|gho|ghs|glpat|xox[abeprs]|xapp|AKIA|ASIA|AIza|ya29)[_.-]?[\w.-]{14,}
    | (?<![\w-])(?:Bearer|Basic)\s+[\w+/=.~-]{8,}
    | (?<=://)[^\s/@:]{0,200}:[^\s/@]{1,200}(?=@)
    | (?<=[?&])(?:token|key|api_?key|secret|password|sig|signature|access_token|code)=[^\s&#]+
    | (?<![^\W_])(?:pass(?:word|wd|code)|pwd|secret|api[ _-]?key|token|pin)\\?["'’]?\s*(?:is|[:=])\s*\S+
    | (?<![\w+-])(?:\d[ -]?){13,19}(?![\w-])
    | \b(?=\d*[a-f])[0-9a-f]{40,}\b
    | (?<![\w/+-])(?-i:(?=[\w+/=]*\d)(?=[\w+/=]*[a-z])(?=[\w+/=]*[A-Z]))[\w+/=]{40,}(?![\w/-])
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)


def redacted(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments with secrets replaced and long values cut; always plain data a database can hold."""
    kept: dict[str, Any] = _kept(plain(arguments), depth=0)
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
    return hashlib.sha256(compact(_sorted(plain(arguments))).encode()).hexdigest()


def _kept(value: Any, *, depth: int) -> Any:
    if isinstance(value, str):
        return redacted_text(value)
    if isinstance(value, dict):
        return _object(value, depth=depth)
    if isinstance(value, list):
        if depth >= DEPTH_LIMIT:
            return f"[{len(value)} items]"
        shown = [_kept(item, depth=depth + 1) for item in value[:ITEMS_LIMIT]]
        more = len(value) - len(shown)
        return [*shown, f"[{more} more items]"] if more > 0 else shown
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**12:
        return redacted_text(str(value))
    return value


def _object(value: dict[str, Any], *, depth: int) -> Any:
    if depth >= DEPTH_LIMIT:
        return f"[{len(value)} fields]"
    shown: dict[str, Any] = {}
    for name, item in list(value.items())[:ITEMS_LIMIT]:
        hidden = item not in (None, "", [], {}) and not isinstance(item, bool) and _is_secret(name)
        shown[redacted_text(name, limit=100)] = REDACTED if hidden else _kept(item, depth=depth + 1)
    if len(value) > ITEMS_LIMIT:
        shown["…"] = f"[{len(value) - ITEMS_LIMIT} more fields]"
    return shown


def _is_secret(name: str) -> bool:
    return _SECRET_NAME.search(_WORD_BREAK.sub("_", name)) is not None


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return value
