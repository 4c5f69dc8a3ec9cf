"""JSON over HTTP as the channels speak it: bounded bodies in, typed errors out (contract §8.4)."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Coroutine, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.core.exceptions import SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from pydantic import BaseModel, ValidationError

from apps.foundation.errors import BadInput, RootError, Unauthorized, Unavailable
from apps.foundation.text import clean, one_line

BODY_LIMIT = 512 * 1024
STORE_DOWN = "The database cannot be reached right now. Try again in a moment."
INTERNAL = "Something went wrong on our side. Nothing you sent caused it; try again in a moment."
_STATUS = {
    "bad_input": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "conflict": 409,
    "too_large": 413,
    "unsupported_media_type": 415,
    "unavailable": 503,
}
_log = logging.getLogger(__name__)
P = ParamSpec("P")
B = TypeVar("B", bound=BaseModel)


class TooLarge(RootError):
    """The body is bigger than any message can be."""

    code = "too_large"


class WrongMediaType(RootError):
    """The body is not declared as JSON."""

    code = "unsupported_media_type"


class MethodNotAllowed(RootError):
    """The address exists, the method does not."""

    code = "method_not_allowed"

    def __init__(self, *methods: str) -> None:
        super().__init__(f"Use {' or '.join(methods)} here.")
        self.methods = methods


def json_view(
    view: Callable[Concatenate[HttpRequest, P], Coroutine[Any, Any, HttpResponseBase]],
) -> Callable[Concatenate[HttpRequest, P], Coroutine[Any, Any, HttpResponseBase]]:
    """Turns what a view raises into a JSON answer. Such views check the origin themselves, without form tokens."""

    @wraps(view)
    async def answering(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            return await view(request, *args, **kwargs)
        except RootError as error:
            return error_response(error)
        except SuspiciousOperation:
            return error_response(BadInput("The request cannot be read."))
        except (OperationalError, InterfaceError):
            _log.exception("request failed for want of the database: %s", request.path)
            return error_response(Unavailable(STORE_DOWN))
        except Exception:  # noqa: BLE001 - the edge: logged here, answered without details
            _log.exception("request failed: %s", request.path)
            return json_response({"error": {"code": "internal", "message": INTERNAL}}, status=500)

    return csrf_exempt(answering)


def json_response(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """An answer nobody may keep."""
    response = HttpResponse(as_json(value), status=status, content_type="application/json", headers=headers)
    response.headers["Cache-Control"] = "no-store"
    return response


def status_of(error: RootError) -> int:
    """The HTTP status an error is answered with; codes of others' making count as their kind of error."""
    codes = (error.code, *(getattr(kind, "code", "") for kind in type(error).__mro__))
    return next((_STATUS[code] for code in codes if code in _STATUS), 500)


def error_body(error: RootError) -> dict[str, Any]:
    """The body an error is answered with."""
    return {"error": {"code": error.code, "message": error.message}}


def error_response(error: RootError) -> HttpResponse:
    """The whole answer to an error."""
    response = json_response(error_body(error), status=status_of(error))
    if isinstance(error, Unauthorized):
        response.headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, MethodNotAllowed):
        response.headers["Allow"] = ", ".join(error.methods)
    return response


def require_method(request: HttpRequest, *methods: str) -> None:
    """Raises :class:`MethodNotAllowed` unless the request uses one of these."""
    if request.method not in methods:
        raise MethodNotAllowed(*methods)


def read_body(request: HttpRequest, shape: type[B]) -> B:
    """The JSON object of a request, checked against its shape; raises a typed error with one sentence."""
    if request.content_type != "application/json":
        raise WrongMediaType("Send the body as application/json.")
    try:
        parsed = json.loads(_bounded(request))
    except (ValueError, RecursionError):
        raise BadInput("The body is not valid JSON.") from None
    if not isinstance(parsed, dict):
        raise BadInput("The body must be a JSON object.")
    return checked({clean(name): clean(v) if isinstance(v, str) else v for name, v in parsed.items()}, shape)


def checked(values: Mapping[str, Any], shape: type[B]) -> B:
    """Values as their typed shape, or :class:`BadInput` with the first thing that is wrong."""
    try:
        return shape.model_validate(values)
    except ValidationError as error:
        raise BadInput(_sentence(error)) from None


def as_json(value: Any) -> bytes:
    """Strict JSON: escaped to ASCII, so that no odd character can break it, and without NaN."""
    try:
        return json.dumps(value, allow_nan=False, default=str).encode("ascii")
    except ValueError:
        return json.dumps(_finite(value), default=str).encode("ascii")


def _bounded(request: HttpRequest) -> bytes:
    body = request.read(BODY_LIMIT + 1)
    if len(body) > BODY_LIMIT:
        raise TooLarge(f"The body is larger than {BODY_LIMIT // 1024} KB.")
    return body


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(name): _finite(item) for name, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    field = ".".join(one_line(str(part), limit=40) for part in first["loc"]) or "body"
    reason = first["msg"].removeprefix("Value error, ").rstrip(".")
    return f"{field}: {reason[:1].lower()}{reason[1:]}."
