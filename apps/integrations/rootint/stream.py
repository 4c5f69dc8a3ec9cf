"""Reading a tool's streamed reply: lines of JSON as they arrive (contract §7.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from apps.foundation.wire_json import BadJson, read_json
from apps.integrations.rootint.results import BadResult, ToolResult, read_result

CONTENT_TYPE = "application/x-ndjson"
MAX_PROGRESS = 500
# More than any work has to tell; a backend that talks without end is not passed on without end.
MAX_PROGRESS_LINES = 1_000

OnProgress = Callable[[str], None]


def is_stream(content_type: str) -> bool:
    """Does this content type announce lines?"""
    return content_type.partition(";")[0].strip().lower() == CONTENT_TYPE


def read_stream(pieces: Iterable[bytes], *, on_progress: OnProgress) -> ToolResult:
    """Passes progress on until the result line; raises :class:`BadResult` if none comes.

    What stands between or after is ignored: a backend's stray print must not spoil a finished action.
    """
    told = 0
    for line in _lines(pieces):
        event = _event(line)
        if event.get("type") == "progress" and told < MAX_PROGRESS_LINES:
            told += 1
            _report(event.get("message"), on_progress)
        elif event.get("type") == "result":
            return read_result(event)
    raise BadResult("the stream ended without a result line")


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    # Cut as bytes: no character of UTF-8 contains a line feed, so one split over two packets heals by itself.
    rest: list[bytes] = []
    for piece in pieces:
        *whole, last = piece.split(b"\n")
        for line in whole:
            yield b"".join([*rest, line])
            rest = []
        rest.append(last)
    yield b"".join(rest)


def _event(line: bytes) -> dict[str, Any]:
    try:
        value = read_json(line) if line.strip() else None
    except BadJson:
        value = None
    return value if isinstance(value, dict) else {}


def _report(message: Any, on_progress: OnProgress) -> None:
    if isinstance(message, str) and (text := message.strip()[:MAX_PROGRESS]):
        on_progress(text)
