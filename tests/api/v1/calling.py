"""A community's program at the other end of the wire."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.tenancy.api_keys import mint_key
from apps.tenancy.models import Tenant


class Program:
    """Calls with a key of one community; every answer is checked to be JSON of our shape."""

    def __init__(self, tenant: Tenant) -> None:
        secret = mint_key(tenant, name="crm").secret
        self.client = Client(headers={"Authorization": f"Bearer {secret}"})

    def get(self, path: str, **query: Any) -> tuple[int, Any]:
        # "from" is a word of Python's.
        named = {name.rstrip("_"): value for name, value in query.items()}
        return self._sent("GET", f"{path}?{urlencode(named)}" if named else path)

    def post(self, path: str, body: Any = None) -> tuple[int, Any]:
        return self._sent("POST", path, b"" if body is None else json.dumps(body).encode())

    def delete(self, path: str) -> tuple[int, Any]:
        return self._sent("DELETE", path)

    def _sent(self, method: str, path: str, body: bytes = b"") -> tuple[int, Any]:
        response = self.client.generic(method, f"/api/v1{path}", data=body, content_type="application/json")
        if response.status_code == 204:
            assert response.content == b""
            return 204, None
        assert response.headers["Content-Type"] == "application/json"
        answer = json.loads(response.content)
        if response.status_code >= 400:
            assert set(answer["error"]) == {"code", "message", "details"}
        return response.status_code, answer


@contextmanager
def counted_queries() -> Iterator[list[int]]:
    """How many statements the block took, in the list it hands out; the community's own row is cached at times."""
    numbers: list[int] = []
    with CaptureQueriesContext(connection) as captured:
        yield numbers
    numbers.append(sum('FROM "tenants"' not in query["sql"] for query in captured.captured_queries))
