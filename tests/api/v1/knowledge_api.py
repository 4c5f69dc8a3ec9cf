"""Asking the API as a program of one community does."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.test import Client

from apps.tenancy.api_keys import mint_key
from apps.tenancy.models import Tenant


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any

    @property
    def code(self) -> str:
        """The error's code, in the one shape errors have."""
        assert set(self.body) == {"error"} and set(self.body["error"]) == {"code", "message", "details"}
        return str(self.body["error"]["code"])


@dataclass(frozen=True)
class Api:
    """One key."""

    secret: str

    def ask(self, method: str, path: str, body: Any = None, *, raw: bytes | None = None) -> Answer:
        sent = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        response = Client(headers={"Authorization": f"Bearer {self.secret}"}).generic(
            method, f"/api/v1{path}", sent, content_type="application/json"
        )
        return Answer(response.status_code, json.loads(response.content) if response.content else None)

    def get(self, path: str) -> Answer:
        return self.ask("GET", path)

    def post(self, path: str, body: Any = None) -> Answer:
        return self.ask("POST", path, body)

    def patch(self, path: str, body: Any) -> Answer:
        return self.ask("PATCH", path, body)

    def delete(self, path: str) -> Answer:
        return self.ask("DELETE", path)


def api_of(tenant: Tenant) -> Api:
    return Api(mint_key(tenant, name="crm").secret)
