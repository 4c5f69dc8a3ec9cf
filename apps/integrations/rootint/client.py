"""Invoking a backend's tool: signed, retried where that is safe, audited once (contract §7.2, §7.3)."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import DatabaseError

from apps.foundation.http import HttpStream
from apps.foundation.http_failure import HttpFailure
from apps.foundation.wire_json import BadJson, read_json
from apps.integrations.models import Integration
from apps.integrations.rootint import results
from apps.integrations.rootint.endpoints import ENDPOINTS
from apps.integrations.rootint.invocation import Invocation, invocation_body
from apps.integrations.rootint.manifest import ManifestTool
from apps.integrations.rootint.results import BadResult, ToolOutcome, ToolResult, failed, read_result, unsure
from apps.integrations.rootint.secrecy import withheld, without
from apps.integrations.rootint.stream import OnProgress, is_stream, read_stream
from apps.integrations.rootint.wire import MAX_REPLY_BYTES, signed_stream
from apps.tenancy.usage import record_integration_call

MAX_ATTEMPTS = 3
RETRY_STEP_SECONDS = 0.3
RETRIED_STATUSES = frozenset({502, 503, 504})

logger = logging.getLogger(__name__)


class _TryAgain(Exception):
    """This attempt brought no answer; the next one may, since the backend knows it by its invocation id."""

    def __init__(self, detail: str, *, sent: bool = True) -> None:
        super().__init__(detail)
        self.detail = detail
        self.sent = sent


def ignore_progress(_message: str) -> None:
    """For callers nobody is watching."""


def invoke_tool(
    integration_id: UUID,
    tool: ManifestTool,
    *,
    params: Mapping[str, Any],
    invocation: Invocation,
    on_progress: OnProgress = ignore_progress,
) -> ToolOutcome:
    """Calls a tool of the current tenant's backend. Never raises for what the backend does."""
    started = time.monotonic()
    row = _enabled(integration_id)
    if row is None:
        result, attempts = failed(results.NOT_CONNECTED, detail="no enabled integration with this id"), 0
    else:
        result, attempts = _with_retries(row, tool, params, invocation, _quiet(on_progress))
    outcome = ToolOutcome(
        success=result.success,
        data=result.data,
        error=result.error,
        error_detail=result.error_detail,
        images=result.images,
        attempts=attempts,
        duration_ms=round((time.monotonic() - started) * 1000),
        outcome_unknown=result.outcome_unknown,
    )
    _audit(row.name if row else "", tool.name, invocation, outcome)
    return outcome


def _enabled(integration_id: UUID) -> Integration | None:
    rows = Integration.objects.exclude(status=Integration.Status.DISABLED)
    found: Integration | None = rows.filter(pk=integration_id).first()
    return found


def _with_retries(
    row: Integration,
    tool: ManifestTool,
    params: Mapping[str, Any],
    invocation: Invocation,
    on_progress: OnProgress,
) -> tuple[ToolResult, int]:
    try:
        body = invocation_body(invocation, params=params)
    except BadJson as error:
        return failed(results.REFUSED, detail=str(error)), 0
    sent = False
    for attempt in range(1, MAX_ATTEMPTS + 1):
        try:
            return _attempt(row, tool, body, on_progress), attempt
        except _TryAgain as again:
            sent = sent or again.sent
            if attempt == MAX_ATTEMPTS:
                harmless = tool.read_only or not sent
                return unsure(results.UNREACHABLE, detail=again.detail, harmless=harmless), attempt
            time.sleep(RETRY_STEP_SECONDS * attempt)
            # Meanwhile its secret may have been rotated, or the backend disconnected.
            current = _enabled(row.pk)
            if current is None:
                harmless = tool.read_only or not sent
                return unsure(results.NOT_CONNECTED, detail=again.detail, harmless=harmless), attempt
            row = current
    raise AssertionError("unreachable")


def _attempt(row: Integration, tool: ManifestTool, body: bytes, on_progress: OnProgress) -> ToolResult:
    timeout = tool.timeout_seconds or ENDPOINTS["tool_invoke"].timeout_seconds
    secret = row.signing_secret
    try:
        with signed_stream(
            row, "tool_invoke", body=body, tool=tool.name, timeout=timeout, max_bytes=MAX_REPLY_BYTES
        ) as reply:
            result = _read(reply, tool, lambda message: on_progress(without(secret, message)))
            return withheld(result, secret=secret)
    except HttpFailure as failure:
        if failure.kind == "network" and failure.retryable:
            raise _TryAgain(failure.message, sent=failure.sent) from None
        return _given_up(failure, tool)
    except (BadResult, BadJson) as error:
        return unsure(results.UNREADABLE, detail=f"bad_response: {error}", harmless=tool.read_only)


def _read(reply: HttpStream, tool: ManifestTool, on_progress: OnProgress) -> ToolResult:
    if reply.status in RETRIED_STATUSES:
        raise _TryAgain(f"HTTP {reply.status}")
    if not 200 <= reply.status < 300:
        return _refusal(reply, tool)
    if is_stream(reply.headers.get("content-type", "")):
        return read_stream(reply.iter_bytes(), on_progress=on_progress)
    return read_result(read_json(reply.read()))


def _refusal(reply: HttpStream, tool: ManifestTool) -> ToolResult:
    """A refusal in the protocol's own form keeps its sentence; a bare status tells the model nothing."""
    detail = f"HTTP {reply.status}"
    if 400 <= reply.status < 500 and reply.status not in (401, 403):
        try:
            said = read_result(read_json(reply.read()))
        except (BadResult, BadJson, HttpFailure):
            said = None
        if said is not None and not said.success:
            return failed(said.error or results.DECLINED, detail=detail)
    if reply.status < 500:
        return failed(results.REFUSED, detail=detail)
    return unsure(results.UNREACHABLE, detail=detail, harmless=tool.read_only)


def _given_up(failure: HttpFailure, tool: ManifestTool) -> ToolResult:
    detail = f"{failure.kind}: {failure.message}"
    harmless = tool.read_only or not failure.sent
    if failure.kind == "timeout":
        return unsure(results.TOO_LATE, detail=detail, harmless=harmless)
    if failure.kind in ("bad_response", "too_large"):
        return unsure(results.UNREADABLE, detail=detail, harmless=harmless)
    return failed(results.UNREACHABLE, detail=detail)


def _quiet(on_progress: OnProgress) -> OnProgress:
    """A listener that fails must not take the tool's answer with it."""

    def report(message: str) -> None:
        try:
            on_progress(message)
        except Exception:
            logger.warning("a progress listener failed", exc_info=True)

    return report


def _audit(integration_name: str, tool_name: str, invocation: Invocation, outcome: ToolOutcome) -> None:
    detail = f"[{outcome.error_detail}]" if outcome.error_detail else ""
    try:
        record_integration_call(
            integration_name=integration_name,
            tool_name=tool_name,
            invocation_id=invocation.invocation_id,
            duration_ms=outcome.duration_ms,
            success=outcome.success,
            error=f"{outcome.error or ''} {detail}".strip(),
            attempts=outcome.attempts,
            trace_id=invocation.trace_id,
        )
    except DatabaseError:
        # The tool has run; its answer is worth more than its audit row.
        logger.exception("invocation %s could not be audited", invocation.invocation_id)
