"""A backend at the wire and its row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from apps.integrations.models import Integration
from apps.tenancy.models import Tenant
from tests.fakes.backend import FakeBackend, Reply

MANIFEST: dict[str, Any] = {
    "protocol": "root-int/1",
    "name": "foundations",
    "access_tiers": ["member", {"name": "mentor", "core_tools": ["who_knows"]}],
    "tools": [
        {"name": "find_rooms", "description": "Lists free rooms.", "read_only": True},
        {"name": "book_room", "description": "Books a room.", "tiers": ["member"]},
    ],
}


@pytest.fixture
def backend() -> Iterator[FakeBackend]:
    with FakeBackend() as running:
        running.answer("GET /integration/manifest", Reply(MANIFEST))
        yield running


@pytest.fixture
def integration(in_tenant: Tenant, backend: FakeBackend) -> Integration:
    row: Integration = Integration.objects.create(
        name="foundations", base_url=backend.url, signing_secret=backend.secret
    )
    return row
