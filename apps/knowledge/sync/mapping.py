"""Where in a JSON answer the documents and their fields stand (contract §2.5, §11.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from jsonpath_ng import Child, Descendants, Fields, Index, JSONPath, Root, Slice, This
from jsonpath_ng.exceptions import JSONPathError
from jsonpath_ng.ext.filter import Expression, Filter
from jsonpath_ng.ext.parser import parse
from jsonpath_ng.jsonpath import Wildcard

from apps.foundation.errors import BadInput
from apps.foundation.text import clean
from apps.knowledge.sync.failure import SyncFailure

DOCUMENTS_PATH = "documents_path"
FIELDS = (
    "external_id",
    "slug",
    "title",
    "content_html",
    "content_text",
    "source_url",
    "author_name",
    "knowledge_date",
)
PATHS = (DOCUMENTS_PATH, *(f"{name}_path" for name in FIELDS))
MAX_PATH_CHARS = 500
# What the fields are usually called, for a source that maps nothing.
_USUAL = {
    "external_id": ("external_id", "id", "uuid", "guid"),
    "slug": ("slug",),
    "title": ("title", "name", "headline"),
    "content_html": ("content_html", "html", "body_html"),
    "content_text": ("content_text", "text", "content", "body", "description"),
    "source_url": ("source_url", "url", "link", "permalink"),
    "author_name": ("author_name", "author"),
    "knowledge_date": ("knowledge_date", "updated_at", "published_at", "date"),
}
_USUAL_LISTS = ("documents", "items", "results", "data", "pages", "articles", "entries")
# Steps that lead on from what is there. All else (arithmetic, unions, parents, sorting, patterns) can be written so
# that it never ends or fills the memory, and none of it is needed to say where a field stands.
_STEPS = (Root, This, Child, Fields, Wildcard, Index, Slice, Descendants, Filter)
_PATTERN = "=~"
_MISSING = object()


def checked_path(path: object, name: str) -> str:
    """A path that can be followed; raises :class:`BadInput`."""
    if not isinstance(path, str) or not path.strip() or len(path) > MAX_PATH_CHARS:
        raise BadInput(f"{name} must be a JSON path such as $.data.items.")
    try:
        steps = list(_steps(_compiled(path.strip())))
    except (JSONPathError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        raise BadInput(f"{name} is not a JSON path; write it like $.data.items or $.body.html.") from None
    if clean(path) != path:
        raise BadInput(f"{name} holds characters that no name of a field has.")
    if sum(isinstance(step, Descendants) for step in steps) > 1:
        raise BadInput(f"{name} may use .. once at most.")
    if not all(_leads_on(step) for step in steps):
        raise BadInput(
            f"{name} can only name fields, positions, .. and [?(@.field == value)]; nothing is computed."
        )
    return path.strip()


def _steps(path: Any) -> Iterator[Any]:
    """The path and all it is made of, conditions included."""
    yield path
    if isinstance(path, Filter):
        for condition in path.expressions:
            yield condition
            yield from _steps(condition.target)
        return
    for part in (getattr(path, "left", None), getattr(path, "right", None)):
        if part is not None:
            yield from _steps(part)


def _leads_on(step: Any) -> bool:
    if isinstance(step, Expression):
        return bool(step.op != _PATTERN)
    # A name said twice doubles what is found, with each step.
    named = step.fields if isinstance(step, Fields) else step.indices if isinstance(step, Index) else ()
    return type(step) in _STEPS and len(set(named)) == len(named)


def documents_in(answer: Any, mapping: Mapping[str, str]) -> list[Any]:
    """The documents of an answer as objects with our field names; raises :class:`SyncFailure`."""
    return [_fields(item, mapping) for item in _items(answer, mapping.get(DOCUMENTS_PATH))]


def holds_list(answer: Any, mapping: Mapping[str, str]) -> bool:
    """Is there a list where the documents should stand?"""
    if path := mapping.get(DOCUMENTS_PATH):
        return bool(_found(answer, path))
    return isinstance(answer, list) or (
        isinstance(answer, dict) and any(isinstance(answer.get(name), list) for name in _USUAL_LISTS)
    )


def _items(answer: Any, path: str | None) -> list[Any]:
    if path is None:
        return _usual_items(answer)
    found = _found(answer, path)
    if not found:
        raise SyncFailure(f"The mapping's documents_path ({path}) finds nothing in the answer of the source.")
    if len(found) == 1:
        only = found[0]
        return only if isinstance(only, list) else [] if only is None else [only]
    return found


def _usual_items(answer: Any) -> list[Any]:
    if isinstance(answer, list):
        return answer
    if isinstance(answer, dict):
        for name in _USUAL_LISTS:
            if isinstance(answer.get(name), list):
                return list(answer[name])
        return [answer] if answer else []
    raise SyncFailure("The answer of the source is neither a list of documents nor an object that holds one.")


def _fields(item: Any, mapping: Mapping[str, str]) -> Any:
    if not isinstance(item, dict):
        return item
    read = {name: _mapped(item, name, mapping.get(f"{name}_path")) for name in FIELDS}
    return {name: value for name, value in read.items() if value is not _MISSING}


def _mapped(item: dict[str, Any], name: str, path: str | None) -> Any:
    if path is not None:
        found = _found(item, path)
        return found[0] if len(found) == 1 else found or _MISSING
    value = next((item[usual] for usual in _USUAL[name] if item.get(usual) is not None), _MISSING)
    if name == "author_name" and isinstance(value, dict):
        return value.get("name", _MISSING)
    if name.startswith("content_") and not isinstance(value, str):
        return _MISSING
    return value


def _found(value: Any, path: str) -> list[Any]:
    try:
        return [match.value for match in _compiled(path).find(value)]
    except (JSONPathError, ValueError, TypeError, AttributeError, KeyError, IndexError, RecursionError):
        return []


@lru_cache(maxsize=512)
def _compiled(path: str) -> JSONPath:
    return parse(path)
