"""A stand-in for the Opik package: like the real one it loads the others, and it keeps what it is given."""

import importlib
import os
import threading
from typing import Any

for name in ("litellm", "sentry_sdk"):
    importlib.import_module(name)

clients: list["Opik"] = []
# What the real package reads while it is being imported.
settings_at_import = {name: value for name, value in os.environ.items() if name.startswith("OPIK_")}


class Opik:
    def __init__(self, *, api_key: str, project_name: str | None) -> None:
        self.api_key, self.project_name = api_key, project_name
        self.spans: list[dict[str, Any]] = []
        self.traces: list[dict[str, Any]] = []
        self.scores: list[dict[str, Any]] = []
        self.broken = False
        self._lock = threading.Lock()
        clients.append(self)

    def span(self, **fields: Any) -> None:
        self._keep(self.spans, fields)

    def trace(self, **fields: Any) -> None:
        self._keep(self.traces, fields)

    def log_traces_feedback_scores(self, *, scores: list[dict[str, Any]]) -> None:
        for score in scores:
            self._keep(self.scores, score)

    def _keep(self, kept: list[dict[str, Any]], fields: dict[str, Any]) -> None:
        if self.broken:
            raise RuntimeError("the tracer is broken")
        with self._lock:
            kept.append(fields)
