"""Questions to a web process over its port."""

from __future__ import annotations

import threading
from typing import Any

import httpx

from tests.root_platform.conftest import TOKEN
from tests.root_platform.processes import Web

# Far above what any answer takes, far below for ever.
PATIENCE = 60.0


def conversation(web: Web) -> httpx.Response:
    """A request that needs the database."""
    return _sent(web, "GET", "messages", params={"thread_key": "t1"})


def ask(web: Web, message: str = "hello there") -> httpx.Response:
    """A whole turn."""
    return _sent(web, "POST", "messages", json={"message": message, "thread_key": "t1"})


def _sent(web: Web, method: str, path: str, **request: Any) -> httpx.Response:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    address = f"{web.base_url}/web/harbour/{path}"
    return httpx.request(method, address, headers=headers, timeout=PATIENCE, **request)


class Asked:
    """A question whose answer is awaited elsewhere."""

    def __init__(self, web: Web, message: str = "hello there") -> None:
        self.reply: httpx.Response | None = None
        self.error: httpx.TransportError | None = None
        self._thread = threading.Thread(target=self._ask, args=(web, message), daemon=True)
        self._thread.start()

    def answer(self) -> httpx.Response:
        """The answer, which must come."""
        self._thread.join(PATIENCE)
        assert self.reply is not None, f"no answer: {self.error!r}"
        return self.reply

    def _ask(self, web: Web, message: str) -> None:
        try:
            self.reply = ask(web, message)
        except httpx.TransportError as error:
            self.error = error
