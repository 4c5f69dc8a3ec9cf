"""A backend that knows people, for the tests of identity."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from apps.integrations.models import Integration
from apps.tenancy.models import Tenant
from tests.fakes.backend import FakeBackend, Reply


@pytest.fixture
def people_backend(in_tenant: Tenant) -> Iterator[FakeBackend]:
    """An active integration that answers identity questions, at first with "nobody"."""
    with FakeBackend() as running:
        running.answer("POST /integration/identity/resolve", Reply({"principal": None}))
        Integration.objects.create(name="people", base_url=running.url, signing_secret=running.secret)
        yield running
