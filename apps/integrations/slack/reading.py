"""Fields of Slack's answers, whatever their types turn out to be (contract §8.2)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from apps.foundation.text import clean

_TS = re.compile(r"[0-9]{1,12}\.[0-9]{1,6}")
_ID = re.compile(r"[A-Z0-9]{2,40}")


def text_of(record: Any, *names: str) -> str:
    """The string under these nested names, or nothing."""
    for name in names:
        record = record.get(name) if isinstance(record, dict) else None
    return clean(record) if isinstance(record, str) else ""


def ts_of(record: Any, *names: str) -> str | None:
    """A message's time in Slack's writing, or None."""
    text = text_of(record, *names)
    return text if _TS.fullmatch(text) else None


def id_of(record: Any, *names: str) -> str | None:
    """The id of a person, channel or team, or None."""
    text = text_of(record, *names)
    return text if _ID.fullmatch(text) else None


def records_of(record: Any, name: str) -> list[dict[str, Any]]:
    """The objects in a list; what is none is left out."""
    found = record.get(name) if isinstance(record, dict) else None
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def moment_of(ts: str) -> datetime:
    """When a message with this time was written; raises ``ValueError`` for what is no such time."""
    if not _TS.fullmatch(ts):
        raise ValueError("not a Slack timestamp")
    seconds, _, fraction = ts.partition(".")
    return datetime.fromtimestamp(int(seconds), tz=UTC).replace(microsecond=int(fraction.ljust(6, "0")))


def ts_key(ts: str) -> tuple[int, int]:
    """Orders times as numbers; as text they order wrongly once their lengths differ."""
    seconds, _, fraction = ts.partition(".")
    return int(seconds), int((fraction or "0").ljust(6, "0"))
