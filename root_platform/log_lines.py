"""How a log line looks: one line, under the id of what it belongs to, without any secret of ours (contract §15.4)."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable

from apps.foundation.text import printable
from apps.foundation.trace import current_trace_id
from root_platform.probes import PROBED

LINE = "%(asctime)s %(levelname)s %(name)s [%(trace_id)s] %(message)s"
HIDDEN = "***"
# Shorter ones would make holes in ordinary words.
_SHORTEST_HIDDEN = 10


class TraceId(logging.Filter):
    """Gives every record the id of the turn, request or job it was written in."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        record.trace_id = current_trace_id() or getattr(request, "root_trace_id", None) or "-"
        return True


class NoProbes(logging.Filter):
    """A probe that finds us not ready is told so, every few seconds; the log need not repeat it."""

    def filter(self, record: logging.LogRecord) -> bool:
        path = getattr(getattr(record, "request", None), "path", None)
        return not (path in PROBED and getattr(record, "status_code", None) == 503)


class LogLine(logging.Formatter):
    """Whatever a library logs, and whatever an error quotes, ends here."""

    def __init__(self, *, secrets: Callable[[], Iterable[str]] = tuple) -> None:
        super().__init__(LINE)
        hidden = sorted(
            {secret for secret in secrets() if len(secret) >= _SHORTEST_HIDDEN}, key=len, reverse=True
        )
        self._hidden = re.compile("|".join(map(re.escape, hidden))) if hidden else None

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 -- the library's name
        """The first line; what callers chose to write in it cannot begin another one."""
        record.message = printable(record.message).replace("\n", "\\n")
        return super().formatMessage(record)

    def format(self, record: logging.LogRecord) -> str:
        """The whole entry, traceback included."""
        text = super().format(record)
        return self._hidden.sub(HIDDEN, text) if self._hidden else text
