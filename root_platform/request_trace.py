"""Each request has an id: in every log line it causes, and in its answer (contract §15.4)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from apps.foundation.trace import tracing

HEADER = "X-Request-Id"


def note(request: HttpRequest, trace_id: str) -> None:
    """Django logs how a request ended when this block is over already; its log record has the request."""
    request.root_trace_id = trace_id  # type: ignore[attr-defined]


class RequestTrace:
    """Outermost, so that what later layers log and refuse has the id too. A turn goes on under its own."""

    async_capable = True
    sync_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self._get_response = get_response
        self._in_loop = bool(iscoroutinefunction(get_response))
        if self._in_loop:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self._in_loop:
            return self._answer(request)
        with tracing() as trace_id:
            note(request, trace_id)
            response: HttpResponseBase = self._get_response(request)
        response.headers[HEADER] = trace_id
        return response

    async def _answer(self, request: HttpRequest) -> HttpResponseBase:
        with tracing() as trace_id:
            note(request, trace_id)
            response: HttpResponseBase = await self._get_response(request)
        response.headers[HEADER] = trace_id
        return response
