"""An operator, a tenant's owner, and clients that are signed in as either."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client

if TYPE_CHECKING:
    from apps.tenancy.models import Tenant

OPERATOR = "olga@platform.example"
OWNER = "otto@harbour.example"


@pytest.fixture
def open_door(settings: Any) -> None:
    """The development login is in the URL table."""
    settings.ENV = settings.ENV.model_copy(update={"auth_dev_bypass": True})
    settings.ROOT_URLCONF = "tests.dashboard.open_urls"


@pytest.fixture
def people(tenant: Tenant) -> None:
    """One platform admin; one owner of Harbour Works, who is none."""
    from apps.tenancy import dashboard_users, platform_admins
    from apps.tenancy.context import tenant_context

    platform_admins.add_platform_admin(OPERATOR)
    with tenant_context(tenant):
        dashboard_users.invite(OWNER, role="owner", by="platform")


def signed_in_as(email: str) -> Client:
    """A browser of somebody who came through the development login."""
    client = Client()
    assert client.get("/auth/dev-login", {"email": email}).status_code == 302
    return client


@pytest.fixture
def operator(open_door: None, people: None) -> Client:
    return signed_in_as(OPERATOR)


@pytest.fixture
def owner(open_door: None, people: None) -> Client:
    return signed_in_as(OWNER)
