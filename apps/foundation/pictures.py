"""What kind of picture some bytes are, judged by how they begin and not by what they are called."""

from __future__ import annotations

import re
from typing import Final

# No SVG: it can carry script.
_BEGINNINGS: Final = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF....WEBP", re.DOTALL),
}


def picture_type(data: bytes) -> str | None:
    """The media type, or None for everything that is no PNG, JPEG, GIF or WebP."""
    return next((name for name, beginning in _BEGINNINGS.items() if beginning.match(data)), None)
