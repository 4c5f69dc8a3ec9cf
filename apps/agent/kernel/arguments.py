"""The arguments of a call as the model wrote them, and whether anything could be read of that (contract §4.3)."""

import json
from dataclasses import dataclass, field
from typing import Any, NoReturn

from apps.agent.kernel.plain import compact, plain

_BROKEN = object()


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """`blank`: nothing was written. `unread`: something was, but neither an object nor JSON's word for nothing."""

    values: dict[str, Any] = field(repr=False)
    blank: bool
    unread: bool


def read_arguments(raw: object) -> Arguments:
    """Whatever is not a JSON object counts as an empty one; an object quoted once too often is unpacked."""
    value = _parsed(raw)
    if isinstance(value, str):
        value = _parsed(value)
    return Arguments(
        values=plain(value) if isinstance(value, dict) else {},
        blank=raw is None or (isinstance(raw, str) and not raw.strip()),
        unread=value is not None and not isinstance(value, dict),
    )


def canonical(arguments: dict[str, Any]) -> str:
    """The same text for the same arguments, in whatever order their fields were written: 3.0 is 3."""
    return compact(_ordered(arguments))


def _parsed(raw: object) -> object:
    if not isinstance(raw, str):
        return raw
    if not raw.strip():
        return None
    try:
        return json.loads(raw, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return _BROKEN


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _ordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value)}
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return [_ordered(item) for item in value] if isinstance(value, list) else value
