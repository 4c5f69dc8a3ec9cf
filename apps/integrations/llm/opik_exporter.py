"""The one module that knows Opik; its package is loaded only where a key for it is set (contract §3.3)."""

from __future__ import annotations

import logging
import os
import threading
from typing import Any
from uuid import UUID

from apps.foundation.environment import env
from apps.integrations.llm.metering import Usage
from apps.integrations.llm.trace_records import Exporter, ScoreRecord, SpanRecord, TraceRecord

Json = dict[str, Any]

_log = logging.getLogger(__name__)

# Opik would otherwise report its errors and its use to its makers, and wait without end when a process stops.
_QUIET = {"OPIK_SENTRY_ENABLE": "false", "OPIK_ANALYTICS_ENABLE": "false"}
_PATIENCE = {"OPIK_DEFAULT_FLUSH_TIMEOUT": "5"}


def configured() -> bool:
    """Is there a key? Costs nothing, so it may be asked everywhere."""
    return bool(_api_key())


def opik_exporter() -> Exporter | None:
    """This process's exporter; None without a key, or where Opik cannot be started."""
    if not configured():
        return None
    return started.get(_api_key(), project=env().opik_project_name)


class _Started:
    """One Opik client for each key and project, made when first needed: loading the package takes seconds."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Opik lives by threads and sockets, which a forked worker must not take over from its parent."""
        self._lock = threading.Lock()
        self._made: dict[tuple[str, str | None], Exporter | None] = {}

    def get(self, api_key: str, *, project: str | None) -> Exporter | None:
        key = (api_key, project)
        with self._lock:
            if key not in self._made:
                self._made[key] = _start(api_key=api_key, project=project)
            return self._made[key]


started = _Started()
os.register_at_fork(after_in_child=started.forget)


def _api_key() -> str:
    secret = env().opik_api_key
    return secret.get_secret_value().strip() if secret is not None else ""


def _start(*, api_key: str, project: str | None) -> Exporter | None:
    os.environ.update(_QUIET)
    for name, value in _PATIENCE.items():
        os.environ.setdefault(name, value)
    try:
        import opik

        return _OpikExporter(opik.Opik(api_key=api_key, project_name=project))
    except Exception as error:  # noqa: BLE001 - whatever a foreign package does on loading, turns go on
        _log.warning("tracing is off: Opik cannot be started (%s)", type(error).__name__)
        return None


class _OpikExporter:
    """Hands records to Opik's client, which sends them from threads of its own."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def span(self, record: SpanRecord) -> None:
        self._client.span(
            id=record.id,
            trace_id=_opik_id(record.trace_id),
            parent_span_id=record.parent_id,
            name=record.name,
            type=record.kind,
            start_time=record.started_at,
            end_time=record.ended_at,
            input=_object(record.input),
            output=_object(record.output),
            model=record.model,
            error_info=_error(record.error),
            **_bill(record.usage),
        )

    def trace(self, record: TraceRecord) -> None:
        self._client.trace(
            id=_opik_id(record.id),
            name=record.name,
            start_time=record.started_at,
            end_time=record.ended_at,
            input=_object(record.input),
            output=_object(record.output),
            metadata=record.metadata,
            error_info=_error(record.error),
        )

    def score(self, record: ScoreRecord) -> None:
        score: Json = {"id": _opik_id(record.trace_id), "name": record.name, "value": record.value}
        if record.reason:
            score["reason"] = record.reason
        self._client.log_traces_feedback_scores(scores=[score])


def _opik_id(trace_id: str) -> str:
    return str(UUID(trace_id))


def _object(value: Any) -> Json | None:
    if value is None or isinstance(value, dict):
        return value
    return {"value": value}


def _bill(usage: Usage | None) -> Json:
    if usage is None:
        return {}
    tokens = {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
    }
    return {"usage": tokens, "total_cost": usage.cost_usd}


def _error(code: str | None) -> Json | None:
    return {"exception_type": code, "traceback": ""} if code else None
