"""What may be written into a job row: JSON that Postgres accepts, of a sane size (contract §13)."""

import hashlib
import json
from typing import Any

from apps.foundation.errors import BadInput
from apps.foundation.text import clean

MAX_JSON_BYTES = 4 * 1024 * 1024
MAX_NAME_CHARACTERS = 200
_MAX_DEPTH = 64


def storable_json(value: Any, *, what: str) -> str:
    """The value as JSON text; raises :class:`BadInput` for anything that is not a bounded JSON object."""
    if not isinstance(value, dict):
        raise BadInput(f"The {what} of a job must be an object.")
    try:
        text = json.dumps(_cleaned(value, 0), allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise BadInput(f"The {what} of a job must be plain JSON.") from error
    if len(text.encode()) > MAX_JSON_BYTES:
        raise BadInput(f"The {what} of a job is larger than {MAX_JSON_BYTES // 1024**2} MB.")
    return text


def storable_name(name: str, *, what: str) -> str:
    """A key of any length as one an index can hold; equal keys stay equal, others stay apart."""
    if not isinstance(name, str) or not name:
        raise BadInput(f"The {what} of a job must be a text that is not empty.")
    cleaned = clean(name)
    if cleaned == name and len(name) <= MAX_NAME_CHARACTERS:
        return name
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()
    return f"{cleaned[: MAX_NAME_CHARACTERS - 65]}~{digest}"


def _cleaned(value: Any, depth: int) -> Any:
    if depth > _MAX_DEPTH:
        raise ValueError("nested too deeply")
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {_member_name(name): _cleaned(item, depth + 1) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(item, depth + 1) for item in value]
    return value


def _member_name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError("member names must be text")
    return clean(name)
