"""Root's own web application, with one more address that says what the process has spent so far."""

from __future__ import annotations

import json
import os
import resource
import threading
from typing import Any

from root_platform.asgi import application as root

from django.db import connection  # isort: skip - Django is set up by the line above
from apps.foundation import pace  # isort: skip

PATH = "/bench/spent"


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Everything but the one address is Root's."""
    if scope["type"] != "http" or scope["path"] != PATH:
        await root(scope, receive, send)
        return
    body = json.dumps(spent()).encode()
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]}
    )
    await send({"type": "http.response.body", "body": body})


def spent() -> dict[str, float]:
    """CPU of the process, and what its connection pool counted."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    stats = connection.pool.get_stats() if connection.pool else {}  # type: ignore[attr-defined]
    return {
        "pid": os.getpid(),
        "cpu_s": used.ru_utime + used.ru_stime,
        "switches": used.ru_nivcsw,
        "connection_wait_ms": stats.get("requests_wait_ms", 0),
        "place_wait_ms": 1000 * pace.process_pace().waited_seconds,
        "connections_asked": stats.get("requests_num", 0),
        "connections_queued": stats.get("requests_queued", 0),
        "connection_use_ms": stats.get("usage_ms", 0),
        "threads": threading.active_count(),
    }
