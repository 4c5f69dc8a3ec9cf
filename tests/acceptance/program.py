"""A program of the community: a key, and a real server to ask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from apps.tenancy.api_keys import mint_key
from apps.tenancy.models import Tenant
from tests.fakes.site import Site


class Program:
    """Asks /api/v1 over HTTP."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def ask(self, method: str, path: str, body: Any = None, *, status: int = 200) -> Any:
        answer = self._client.request(method, f"/api/v1{path}", json=body)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None


@contextmanager
def program_of(tenant: Tenant) -> Iterator[Program]:
    headers = {"Authorization": f"Bearer {mint_key(tenant, name='crm').secret}"}
    with Site() as site, httpx.Client(base_url=site.base_url, headers=headers, timeout=120) as client:
        yield Program(client)
