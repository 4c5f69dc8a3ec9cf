"""Everything a value holds, as text: what a test for foreign markers looks through."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from django.db.models import Model

from tests.isolation.cast import MARKERS

_DEEPEST = 12


def told(value: object, *, depth: int = 0) -> str:
    """All texts in a value: fields hidden from ``repr`` too, rows with every column, containers to their ends."""
    if depth > _DEEPEST or value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).decode("latin-1")
    return " ".join(told(part, depth=depth + 1) for part in _parts(value)) or repr(value)


def markers_in(text: str) -> set[str]:
    """Whose text this is."""
    lowered = text.lower()
    return {marker for marker in MARKERS.values() if marker in lowered}


def _parts(value: object) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return value
    if is_dataclass(value):
        return [getattr(value, each.name) for each in fields(value)]
    if isinstance(value, Model):
        return [value.__dict__.get(each.attname) for each in value._meta.concrete_fields]
    return []
