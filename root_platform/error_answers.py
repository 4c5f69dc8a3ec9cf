"""What callers get when no view answered: JSON, or a plain page for browsers (contract §15.4)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from apps.channels.json_http import INTERNAL, STORE_DOWN
from apps.foundation.trace import current_trace_id

CONTENT_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# Programs get JSON, whatever they say they accept.
PROGRAMS = "/api/"
_ANSWERS = {
    400: ("bad_input", "The request cannot be read."),
    403: ("forbidden", "This is not open to you."),
    404: ("not_found", "There is nothing at this address."),
    500: ("internal", INTERNAL),
    503: ("unavailable", STORE_DOWN),
}
_log = logging.getLogger(__name__)


def answer(request: HttpRequest, status: int) -> HttpResponse:
    """The answer to a failure, in the form the caller asked for."""
    code, message = _ANSWERS[status]
    if request.path.startswith(PROGRAMS):
        error = {"code": code, "message": message, "details": {}}
        response: HttpResponse = JsonResponse({"error": error}, status=status)
    elif "text/html" in request.headers.get("Accept", ""):
        known = {"message": message, "trace_id": current_trace_id() if status >= 500 else None}
        response = render(request, "public/error.html", known, status=status)
        response.headers["Content-Security-Policy"] = CONTENT_POLICY
    else:
        response = JsonResponse({"error": {"code": code, "message": message}}, status=status)
    response.headers["Cache-Control"] = "no-store"
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's ``handler400``."""
    return answer(request, 400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's ``handler403``."""
    return answer(request, 403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's ``handler404``."""
    return answer(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's ``handler500``; Django has logged the error by then."""
    return answer(request, 500)


class DatabaseAway:
    """A view that found no database is not at fault: 503, so that callers try again."""

    async_capable = True
    sync_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self._get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Any:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Called by Django with what a view raised."""
        if not isinstance(exception, OperationalError | InterfaceError):
            return None
        _log.error("request failed for want of the database: %s", request.path, exc_info=exception)
        return answer(request, 503)
