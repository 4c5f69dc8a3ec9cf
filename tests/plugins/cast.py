"""The fixed cast: one community and a second one that shares its names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from apps.tenancy.models import Tenant


def _database(request: pytest.FixtureRequest) -> None:
    # Threads need committed rows; a test says so by asking for committed_db.
    request.getfixturevalue("committed_db" if "committed_db" in request.fixturenames else "db")


@pytest.fixture
def tenant(request: pytest.FixtureRequest) -> Tenant:
    """The community most tests are about."""
    _database(request)
    from apps.tenancy.tenants import create_tenant

    return create_tenant(
        "harbour", display_name="Harbour Works", agent_name="Pilot", timezone="Europe/Lisbon"
    )


@pytest.fixture
def other_tenant(request: pytest.FixtureRequest) -> Tenant:
    """Another community, to prove that nothing crosses."""
    _database(request)
    from apps.tenancy.tenants import create_tenant

    return create_tenant(
        "mill", display_name="Mill Street Club", agent_name="Miller", timezone="Europe/Lisbon"
    )


@pytest.fixture
def in_tenant(tenant: Tenant) -> Iterator[Tenant]:
    """Runs the test inside the first community's context."""
    from apps.tenancy.context import tenant_context

    with tenant_context(tenant):
        yield tenant
