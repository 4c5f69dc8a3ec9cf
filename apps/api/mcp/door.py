"""POST /api/mcp: who may come in, and the SDK's transport behind it (contract §12.3).

The SDK would hang on GET, redirect on a slash and refuse every host but this machine; so what stands before the
protocol is decided here. A request is whole before it is handed over, and its answer is one JSON document.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final
from urllib.parse import urlsplit

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from apps.api.asynchronous import stop_if_gone
from apps.api.authentication import key_holder
from apps.api.errors import described
from apps.api.mcp.server import server_for
from apps.channels.json_http import (
    BODY_LIMIT,
    MethodNotAllowed,
    TooLarge,
    WrongMediaType,
    json_response,
    require_method,
)
from apps.foundation.database import at_work
from apps.foundation.environment import env
from apps.foundation.errors import Forbidden
from apps.knowledge.page_addresses import site_address
from apps.tenancy.api_keys import KeyHolder
from apps.tenancy.context import tenant_context

_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_OURS: Final = frozenset({"content-length", "connection", "transfer-encoding"})


@csrf_exempt
async def door(request: HttpRequest) -> HttpResponse:
    """Answers one message of a client. Method, key, host and type are looked at before the body is."""
    try:
        require_method(request, "POST")
        holder = await sync_to_async(_admitted)(request)
        stop_if_gone()
        with tenant_context(holder.tenant):
            _require_own_address(request)
            return await _served(holder, request, body=_body(request))
    except Exception as failure:  # noqa: BLE001 - the edge: answered in the one shape, or logged there
        return _refused(request, failure)


def _admitted(request: HttpRequest) -> KeyHolder:
    with at_work():
        return key_holder(request)


def _require_own_address(request: HttpRequest) -> None:
    """A page of another site that a browser shows must not reach this through a name of its own."""
    hosts, origins = _addresses()
    host = request.headers.get("Host", "").lower()
    if hosts and host not in hosts and not _is_local(host):
        raise Forbidden("This is not served under that host name.")
    origin = request.headers.get("Origin", "").lower()
    if origin and origin not in origins and not _is_local(origin.partition("://")[2]):
        raise Forbidden("Pages of other sites may not call this.")


def _addresses() -> tuple[set[str], set[str]]:
    """Host names and origins under which this community is served."""
    known = {str(address) for address in (env().platform_base_url, site_address()) if address}
    places = [urlsplit(address.lower()) for address in known]
    return {place.netloc for place in places}, {f"{place.scheme}://{place.netloc}" for place in places}


def _is_local(netloc: str) -> bool:
    name = netloc if netloc.endswith("]") else netloc.rpartition(":")[0] or netloc
    return not env().is_production and name in _LOCAL


def _body(request: HttpRequest) -> bytes:
    if request.content_type != "application/json":
        raise WrongMediaType("Send the message as application/json.")
    body: bytes = request.read(BODY_LIMIT + 1)
    if len(body) > BODY_LIMIT:
        raise TooLarge(f"The message is larger than {BODY_LIMIT // 1024} KB.")
    return body


async def _served(holder: KeyHolder, request: HttpRequest, *, body: bytes) -> HttpResponse:
    """What the SDK's transport answers; its tasks live in this request alone and take over its context."""
    manager = StreamableHTTPSessionManager(
        server_for(holder), json_response=True, stateless=True, max_request_body_size=BODY_LIMIT
    )
    sent: list[dict[str, Any]] = []
    pieces = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if pieces:
            return pieces.pop()
        # For ever: when the caller leaves, Django cancels all of this.
        await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    async with manager.run():
        await manager.handle_request(_scope(request), receive, send)
    return _response(sent)


def _scope(request: HttpRequest) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [
            (name.lower().encode("latin-1", "replace"), value.encode("latin-1", "replace"))
            for name, value in request.headers.items()
            if name.lower() != "authorization"
        ],
    }


def _response(sent: list[dict[str, Any]]) -> HttpResponse:
    start = next(message for message in sent if message["type"] == "http.response.start")
    content = b"".join(
        message.get("body", b"") for message in sent if message["type"] == "http.response.body"
    )
    response = HttpResponse(content, status=start["status"])
    del response.headers["Content-Type"]
    for name, value in start.get("headers", ()):
        if name.decode().lower() not in _OURS:
            response.headers[name.decode("latin-1")] = value.decode("latin-1")
    response.headers["Cache-Control"] = "no-store"
    return response


def _refused(request: HttpRequest, failure: Exception) -> HttpResponse:
    status, body, headers = described(failure, path=request.path)
    if isinstance(failure, MethodNotAllowed):
        headers = {**headers, "Allow": ", ".join(failure.methods)}
    return json_response(body, status=status, headers=headers)
