"""A turn as lines of JSON while it happens (contract §8.4).

The turn runs in a thread of the pool and feeds a queue; the response drains it. A bare newline keeps proxies
from cutting a quiet connection. The last line is always ``answer`` or ``error``.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

from apps.agent.turns import TurnOutcome
from apps.channels.json_http import INTERNAL, as_json
from apps.channels.turn_answers import web_body
from apps.channels.web.listener import WebListener
from apps.foundation.errors import RootError

HEARTBEAT_SECONDS = 10.0
# Progress is the only kind of line a tool can produce without end.
PROGRESS_WAITING = 500
_LAST = {"answer", "error"}
_log = logging.getLogger(__name__)
Line = dict[str, Any]


class LineFeed:
    """Carries lines from the turn's threads to the response's event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[Line] = asyncio.Queue()
        self._progress_places = threading.Semaphore(PROGRESS_WAITING)

    def put(self, line: Line) -> None:
        """Adds a line; from any thread."""
        if line["type"] == "progress" and not self._progress_places.acquire(blocking=False):
            return
        try:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except RuntimeError:
            # The server is shutting down; the answer is in the log of the conversation.
            _log.info("a line was dropped: the event loop is closed")

    async def next(self, *, within: float) -> Line | None:
        """The next line, or None when there was none for so long."""
        try:
            line = await asyncio.wait_for(self._lines.get(), within)
        except TimeoutError:
            return None
        if line["type"] == "progress":
            self._progress_places.release()
        return line


class LineStream:
    """The response's content. When it is closed early, the listener has left."""

    def __init__(
        self, feed: LineFeed, listener: WebListener, *, heartbeat: float = HEARTBEAT_SECONDS
    ) -> None:
        self._feed = feed
        self._listener = listener
        self._heartbeat = heartbeat
        self._complete = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            while not self._complete and not caller_is_gone():
                line = await self._feed.next(within=self._heartbeat)
                # Counts as complete once handed over: a reader that leaves on the last line missed nothing.
                self._complete = line is not None and line["type"] in _LAST
                yield b"\n" if line is None else as_json(line) + b"\n"
        finally:
            self.close()

    def close(self) -> None:
        """Called by Django too, for a response nobody began to read."""
        if not self._complete:
            self._listener.leave()

    def __del__(self) -> None:
        # A response that is dropped before its first line is closed by nobody.
        self.close()


def caller_is_gone() -> bool:
    """Was the request cancelled, because its connection went away?

    ``sync_to_async`` waits for its thread and then goes on as if nothing had happened, so a cancellation that
    arrives meanwhile is heard by nobody; the task remembers it.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def last_line(turn: Callable[[], TurnOutcome]) -> Line:
    """Runs a turn of the web chat and says how it ended; nothing escapes as an exception."""
    return ended(lambda: web_body(turn()))


def ended(answer: Callable[[], dict[str, Any]]) -> Line:
    """Runs a turn that gives a body, and says how it ended; nothing escapes as an exception."""
    try:
        return {"type": "answer", **answer()}
    except RootError as error:
        return {"type": "error", "code": error.code, "message": error.message}
    except Exception:  # noqa: BLE001 - the edge: logged here, answered without details
        _log.exception("a streamed turn failed")
        return {"type": "error", "code": "internal", "message": INTERNAL}
