"""Every failure below /api in one shape: a code for machines, a sentence for people (contract §12.1)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from apps.channels.json_http import INTERNAL, STORE_DOWN, MethodNotAllowed, WrongMediaType, status_of
from apps.foundation.errors import BadInput, NotFound, RootError, Unauthorized, Unavailable
from apps.foundation.text import one_line

NOTHING_HERE = "There is nothing at this address."
FIELDS_NAMED = 10
_log = logging.getLogger(__name__)


# Failures of the libraries below, as ours. DRF itself names the methods that an address knows.
_OF_OTHERS: tuple[tuple[tuple[type[Exception], ...], Callable[[], RootError]], ...] = (
    (
        (exceptions.UnsupportedMediaType,),
        lambda: WrongMediaType("Send the body as application/json."),
    ),
    ((exceptions.ParseError, SuspiciousOperation), lambda: BadInput("The request cannot be read.")),
    ((exceptions.MethodNotAllowed,), lambda: MethodNotAllowed("another method")),
    ((Http404,), lambda: NotFound(NOTHING_HERE)),
)


class ErrorDetail(BaseModel):
    """What went wrong. ``details.fields`` names the parts of the request that were refused, if that was it."""

    model_config = ConfigDict(extra="forbid")
    code: str = Field(examples=["bad_input"])
    message: str = Field(examples=["limit: input should be less than or equal to 100."])
    details: dict[str, Any] = Field(default_factory=dict)


class ErrorBody(BaseModel):
    """The body of every answer that is not a success."""

    model_config = ConfigDict(extra="forbid")
    error: ErrorDetail


class Refused(BadInput):
    """Parts of the request do not fit their shape; ``details`` names them."""

    def __init__(self, error: ValidationError) -> None:
        found = error.errors(include_input=False, include_url=False, include_context=False)[:FIELDS_NAMED]
        fields = [{"field": _place(each["loc"]), "problem": _problem(each["msg"])} for each in found]
        super().__init__(f"{fields[0]['field']}: {fields[0]['problem']}.")
        self.details = {"fields": fields}


def answer_failure(failure: Exception, context: Mapping[str, Any]) -> Response:
    """DRF's exception handler: whatever a view raised, as an answer."""
    set_rollback()
    status, body, headers = described(failure, path=getattr(context.get("request"), "path", ""))
    return Response(body, status=status, headers=headers)


def described(failure: Exception, *, path: str) -> tuple[int, dict[str, Any], dict[str, str]]:
    """Status, body and headers for whatever was raised. Unknown failures are logged, not shown."""
    error = _as_ours(failure)
    if error is None:
        _log.error("request failed: %s", path, exc_info=failure)
        return 500, {"error": error_fields("internal", INTERNAL)}, {}
    fields = error_fields(error.code, error.message, getattr(error, "details", None))
    headers = {"WWW-Authenticate": "Bearer"} if isinstance(error, Unauthorized) else {}
    return status_of(error), {"error": fields}, headers


def error_fields(code: str, message: str, details: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The inside of an error body."""
    return {"code": code, "message": message, "details": dict(details or {})}


def _as_ours(failure: Exception) -> RootError | None:
    if isinstance(failure, RootError):
        return failure
    if isinstance(failure, ValidationError):
        return Refused(failure)
    if isinstance(failure, OperationalError | InterfaceError):
        _log.error("request failed for want of the database", exc_info=failure)
        return Unavailable(STORE_DOWN)
    return next((make() for kinds, make in _OF_OTHERS if isinstance(failure, kinds)), None)


def _place(parts: tuple[int | str, ...]) -> str:
    return ".".join(one_line(str(part), limit=40) for part in parts) or "body"


def _problem(message: str) -> str:
    told = message.removeprefix("Value error, ").rstrip(".")
    return f"{told[:1].lower()}{told[1:]}"
