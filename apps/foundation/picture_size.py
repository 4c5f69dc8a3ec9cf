"""How wide and high a picture says it is, read from its head without unfolding it."""

from __future__ import annotations

import struct

from apps.foundation.pictures import picture_type

Size = tuple[int, int]
# Frame headers of JPEG; the four left out define tables.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xD8)})


def picture_size(data: bytes) -> Size | None:
    """Width and height of a PNG, JPEG, GIF or WebP; None when its head is not whole."""
    readers = {"image/png": _png, "image/gif": _gif, "image/jpeg": _jpeg, "image/webp": _webp}
    kind = picture_type(data)
    try:
        return readers[kind](data) if kind is not None else None
    except (struct.error, IndexError):
        return None


def _png(data: bytes) -> Size | None:
    width, height = struct.unpack_from(">II", data, 16)
    return (width, height) if data[12:16] == b"IHDR" else None


def _gif(data: bytes) -> Size:
    width, height = struct.unpack_from("<HH", data, 6)
    return width, height


def _jpeg(data: bytes) -> Size | None:
    """Segments are walked up to the frame header, so what a thumbnail inside says is not believed."""
    at = 2
    while data[at] == 0xFF:
        mark = data[at + 1]
        if mark == 0xFF:
            at += 1
        elif mark in _WITHOUT_LENGTH:
            at += 2
        elif mark in _FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        else:
            at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    return None


def _webp(data: bytes) -> Size | None:
    chunk = data[12:16]
    if chunk == b"VP8X" and len(data) >= 30:
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if chunk == b"VP8L":
        bits = struct.unpack_from("<xI", data, 20)[0]
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if chunk == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None
