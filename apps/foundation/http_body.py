"""Bounded reading of a reply's body (contract §8)."""

from __future__ import annotations

import zlib
from typing import Any

from apps.foundation.http_failure import HttpFailure


class BodyDecoder:
    """Undoes the compression a server used although none was asked for, never past the cap."""

    def __init__(self, encoding: str, *, limit: int) -> None:
        self._limit = limit
        self._total = 0
        self._inflate = _inflater(encoding.strip().lower())

    def feed(self, raw: bytes) -> bytes:
        """The next piece of the body; raises once the whole is past the cap."""
        piece = raw
        if self._inflate is not None:
            try:
                piece = self._inflate.decompress(raw, self._limit - self._total + 1)
            except zlib.error:
                raise HttpFailure("bad_response", "The reply's compression is damaged.") from None
        self._total += len(piece)
        if self._total > self._limit:
            raise too_large(self._limit)
        return piece

    def finish(self) -> None:
        """Raises if the compressed text stopped in the middle."""
        if self._inflate is not None and self._total and not self._inflate.eof:
            raise HttpFailure("bad_response", "The reply's compression is damaged.")


def _inflater(encoding: str) -> Any:
    if encoding in ("", "identity"):
        return None
    if encoding in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)  # 32: finds out by itself which of the two it is
    raise HttpFailure("bad_response", "The reply is compressed in a way Root does not read.")


def too_large(limit: int) -> HttpFailure:
    """The failure of a reply that goes past its cap."""
    return HttpFailure("too_large", f"The reply is larger than {limit:,} bytes.")
