"""A program with a key of Harbour Works."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from apps.tenancy.api_keys import mint_key
from apps.tenancy.models import Tenant


class Program:
    """Speaks to the API as a community's backend would."""

    def __init__(self, tenant: Tenant) -> None:
        self.secret = mint_key(tenant, name="backend").secret
        self.http = Client(headers={"Authorization": f"Bearer {self.secret}"})

    def get(self, path: str, **query: Any) -> tuple[int, Any]:
        response = self.http.get(f"/api/v1{path}", query)
        return response.status_code, json.loads(response.content)

    def post(self, path: str, body: Any, **headers: str) -> tuple[int, Any]:
        raw = body if isinstance(body, bytes | str) else json.dumps(body)
        response = self.http.post(f"/api/v1{path}", raw, content_type="application/json", headers=headers)
        return response.status_code, json.loads(response.content)


@pytest.fixture
def program(tenant: Tenant) -> Program:
    return Program(tenant)
