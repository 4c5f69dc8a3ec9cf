"""Asks the web chat over a real connection."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx

PATIENCE = 30.0


class ChatClient:
    def __init__(self, site: str, token: str, *, slug: str = "harbour") -> None:
        self._address = f"{site}/web/{slug}/messages"
        self._http = httpx.Client(headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE)

    def ask(self, message: str, **more: Any) -> dict[str, Any]:
        answer = self._http.post(self._address, json={"message": message, **more})
        assert answer.status_code == 200, answer.text
        body: dict[str, Any] = answer.json()
        return body

    def stream(self, message: str, **more: Any) -> Iterator[dict[str, Any]]:
        """The lines, as they come; closing the iterator closes the connection."""
        body = {"message": message, **more}
        with self._http.stream("POST", f"{self._address}/stream", json=body) as answer:
            assert answer.headers["Content-Type"] == "application/x-ndjson"
            yield from (json.loads(line) for line in answer.iter_lines() if line.strip())

    def cancel(self, turn_id: str) -> bool:
        return bool(self._http.post(f"{self._address}/cancel", json={"turn_id": turn_id}).json()["cancelled"])

    def conversation(self, **query: str) -> list[dict[str, Any]]:
        answer = self._http.get(self._address, params=query)
        assert answer.status_code == 200, answer.text
        messages: list[dict[str, Any]] = answer.json()["messages"]
        return messages


def until(condition: Callable[[], bool]) -> None:
    """Polls until something has happened."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)
