"""No body larger than any ingress takes, and none that never ends, gets as far as Django (contract §8.4).

Django's handler writes a whole body to disk before it looks at the address or at who is calling, so that limits
stated in views come too late.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Message = Mapping[str, Any]
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

# The largest any ingress reads, with room to be told so by the ingress itself.
LARGEST_BYTES = 1024 * 1024
BODY_SECONDS = 30.0


class _Refused(Exception):
    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(code)
        self.status = status
        self.error = {"error": {"code": code, "message": message}}


class BoundedBodies:
    """An ASGI application around another one."""

    def __init__(
        self, application: Application, *, largest: int = LARGEST_BYTES, seconds: float = BODY_SECONDS
    ) -> None:
        self._application = application
        self._largest = largest
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        try:
            self._check_declared(scope)
            await self._application(scope, self._bounded(receive), send)
        except _Refused as refused:
            await _answer(refused, send)

    def _check_declared(self, scope: Scope) -> None:
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > self._largest:
            raise self._too_large()

    def _bounded(self, receive: Receive) -> Receive:
        taken, whole = 0, False

        async def receiving() -> Message:
            nonlocal taken, whole
            try:
                # After the body the wait is for the caller to leave, which takes as long as the answer.
                message = await asyncio.wait_for(receive(), None if whole else self._seconds)
            except TimeoutError:
                raise _Refused(408, "too_slow", "The rest of the body did not come in time.") from None
            if message["type"] == "http.request":
                taken += len(message.get("body", b""))
                whole = not message.get("more_body", False)
                if taken > self._largest:
                    raise self._too_large()
            return message

        return receiving

    def _too_large(self) -> _Refused:
        return _Refused(413, "too_large", f"The body is larger than {self._largest // 1024} KB.")


async def _answer(refused: _Refused, send: Send) -> None:
    headers = [
        (b"content-type", b"application/json"),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(refused.error).encode()})
