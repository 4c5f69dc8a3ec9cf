"""The side channel on which a tool hands over pictures (contract §7.3)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from apps.foundation.pictures import picture_type
from apps.foundation.text import one_line

MAX_IMAGES = 10
MAX_IMAGE_BYTES = 5 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ToolImage:
    """One picture, decoded and checked."""

    name: str
    content_type: str
    data: bytes = field(repr=False)


def read_images(offered: Any) -> tuple[ToolImage, ...]:
    """The usable pictures of a result; what is malformed, foreign or too large is left out."""
    entries = offered[:MAX_IMAGES] if isinstance(offered, list) else []
    return tuple(_usable(entries))


def _usable(entries: list[Any]) -> Iterator[ToolImage]:
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict):
            continue
        content_type, data = _content_type(entry.get("contentType")), _decoded(entry.get("base64"))
        if data and picture_type(data) == content_type:
            name = entry.get("name")
            named = one_line(name, limit=120) if isinstance(name, str) else ""
            yield ToolImage(name=named or f"image-{number}", content_type=content_type, data=data)


def _content_type(given: Any) -> str:
    return given.partition(";")[0].strip().lower() if isinstance(given, str) else ""


def _decoded(given: Any) -> bytes | None:
    if not isinstance(given, str) or len(given) > MAX_IMAGE_BYTES * 4 // 3 + 4:
        return None
    try:
        return base64.b64decode(given, validate=True)
    except (binascii.Error, ValueError):
        return None
