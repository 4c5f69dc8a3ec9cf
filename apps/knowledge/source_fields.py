"""What may stand in each field of a source, and a sentence for what may not (contract §2.5, §11.1)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from apps.foundation import http
from apps.foundation.errors import BadInput
from apps.foundation.http_failure import HttpFailure
from apps.foundation.text import clean
from apps.knowledge.models import KnowledgeSource
from apps.knowledge.models.sources import MAX_INTERVAL_MINUTES
from apps.knowledge.sync.mapping import PATHS, checked_path
from apps.tenancy.limits import limits

SECRETS = ("token", "password", "webhook_signing_secret")
AUTH_TYPES = ("none", "bearer", "basic", "api_key")
RESPONSE_MODES = ("auto", "html", "text", "json")
METHODS = ("GET", "POST")
_KEY = re.compile(r"[a-z0-9][a-z0-9_.-]{0,99}")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]{0,2000}")
# The first carry credentials, which belong among the secrets; the others are the client's own business.
_CREDENTIAL_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "x-api-key"})
_OWN_HEADERS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "accept-encoding"}
)
_MAX_BODY = 100_000
_MAX_SECRET = 8_000
_MAX_INSTRUCTIONS = 4_000


def checked(name: str, value: object) -> Any:
    """The value in the form it is stored; raises :class:`BadInput`."""
    try:
        return _CHECKS[name](value, name)
    except KeyError:
        raise BadInput(f"A source has no {clean(str(name))[:60]}.") from None


def _key(value: object, name: str) -> str:
    if not isinstance(value, str) or not _KEY.fullmatch(value):
        raise BadInput(
            f"{name} must be 1 to 100 lower-case letters, digits, dots, hyphens or underscores, such as handbook."
        )
    return value


def _name(value: object, name: str) -> str:
    text = " ".join(clean(value).split()) if isinstance(value, str) else ""
    if not text or len(text) > 200:
        raise BadInput(f"{name} must be a text of 1 to 200 characters.")
    return text


def _one_of(*words: str) -> Callable[[object, str], str]:
    def check(value: object, name: str) -> str:
        if value not in words:
            raise BadInput(f"{name} must be one of {', '.join(words)}.")
        return str(value)

    return check


def _url(value: object, name: str) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise BadInput(f"{name} must be a web address.")
    try:
        http.checked_url(value.strip())
    except HttpFailure as failure:
        raise BadInput(f"{name} cannot be used. {failure.message}") from None
    return value.strip()


def _headers(value: object, name: str) -> dict[str, str]:
    given = _object(value, name)
    made: dict[str, str] = {}
    for header, content in given.items():
        if not isinstance(header, str) or not _HEADER.fullmatch(header):
            raise BadInput(f"{name} has a name that is no header name.")
        if header.lower() in _CREDENTIAL_HEADERS:
            raise BadInput(f"{header} is a credential: choose an auth_type and put it into secrets.")
        if header.lower() in _OWN_HEADERS:
            raise BadInput(f"{header} is set by Root itself.")
        if not isinstance(content, str) or not _HEADER_VALUE.fullmatch(content):
            raise BadInput(f"The header {header} must be one line of at most 2,000 Latin characters.")
        made[header.lower()] = content
    if len(made) > 50:
        raise BadInput(f"{name} can hold 50 headers at most.")
    return made


def _body(value: object, name: str) -> Any:
    return _json(value, name, limit=_MAX_BODY)


def _auth_config(value: object, name: str) -> dict[str, str]:
    given = _object(value, name)
    unknown = set(given) - {"username", "header_name"}
    if unknown:
        raise BadInput(f"{name} knows username and header_name; secrets are given apart.")
    header = given.get("header_name")
    if header is not None and (
        not isinstance(header, str) or not _HEADER.fullmatch(header) or header.lower() in _OWN_HEADERS
    ):
        raise BadInput("header_name must be a header name such as x-api-key.")
    user = given.get("username")
    if user is not None and (not isinstance(user, str) or ":" in user or len(user) > 300):
        raise BadInput("username must be a text without a colon.")
    return {key: clean(str(item)) for key, item in given.items() if item is not None}


def _secrets(value: object, name: str) -> dict[str, str | None]:
    """None takes a secret away; what is not named stays as it is."""
    given = _object(value, name)
    for key, secret in given.items():
        if key not in SECRETS:
            raise BadInput(f"{name} knows {', '.join(SECRETS)}.")
        if secret is None:
            continue
        if not isinstance(secret, str) or not secret.strip() or len(secret) > _MAX_SECRET:
            raise BadInput(f"The secret {key} must be a text that is not empty.")
        if clean(secret) != secret or "\n" in secret or "\r" in secret:
            raise BadInput(f"The secret {key} must be a single line of printable characters.")
    return dict(given)


def _mapping(value: object, name: str) -> dict[str, str]:
    given = _object(value, name)
    unknown = sorted(clean(str(key))[:60] for key in set(given) - set(PATHS))
    if unknown:
        raise BadInput(f"{name} has no {unknown[0]}; it knows {', '.join(PATHS)}.")
    return {key: checked_path(path, key) for key, path in given.items() if path not in (None, "")}


def _interval(value: object, name: str) -> int | None:
    """Brought within what the tenant may, rather than refused."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise BadInput(f"{name} must be a number of minutes, or null for no schedule.")
    return clamped_interval(value)


def clamped_interval(minutes: int) -> int:
    """Between the shortest time this tenant may have and thirty days."""
    return min(max(minutes, limits().min_sync_interval_minutes), MAX_INTERVAL_MINUTES)


def _switch(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise BadInput(f"{name} must be true or false.")
    return value


def _instructions(value: object, name: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > _MAX_INSTRUCTIONS:
        raise BadInput(f"{name} must be a text of at most {_MAX_INSTRUCTIONS:,} characters.")
    return clean(value).strip() or None


def _tiers(value: object, name: str) -> list[str] | None:
    if value is None:
        return None
    if not isinstance(value, list | tuple) or len(value) > 100:
        raise BadInput(f"{name} must be a list of tier names, or null for everybody.")
    tiers = [clean(tier).strip() if isinstance(tier, str) else "" for tier in value]
    if not all(0 < len(tier) <= 100 for tier in tiers):
        raise BadInput(f"{name} must be a list of tier names, or null for everybody.")
    return sorted(set(tiers))


def _object(value: object, name: str) -> Mapping[Any, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise BadInput(f"{name} must be an object.")
    return value


def _json(value: object, name: str, *, limit: int) -> Any:
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=True)
    except (TypeError, ValueError, RecursionError):
        raise BadInput(f"{name} must be plain JSON.") from None
    if len(text) > limit:
        raise BadInput(f"{name} must be JSON of at most {limit:,} characters.")
    if not _is_storable(json.loads(text)):
        raise BadInput(f"{name} holds characters that no text may have, such as NUL.")
    return json.loads(text)


def _is_storable(value: Any) -> bool:
    """Names and texts without NUL and lone surrogates, which the database refuses."""
    if isinstance(value, str):
        return clean(value) == value
    if isinstance(value, dict):
        return all(_is_storable(part) for pair in value.items() for part in pair)
    return not isinstance(value, list) or all(map(_is_storable, value))


_CHECKS: dict[str, Callable[[object, str], Any]] = {
    "source_key": _key,
    "name": _name,
    "source_kind": _one_of(*KnowledgeSource.Kind.values),
    "url": _url,
    "http_method": _one_of(*METHODS),
    "request_headers": _headers,
    "request_body": _body,
    "auth_type": _one_of(*AUTH_TYPES),
    "auth_config": _auth_config,
    "secrets": _secrets,
    "response_mode": _one_of(*RESPONSE_MODES),
    "mapping": _mapping,
    "schedule_interval_minutes": _interval,
    "replace_missing": _switch,
    "ai_cleanup": _switch,
    "ai_cleanup_instructions": _instructions,
    "audience_tiers": _tiers,
}
