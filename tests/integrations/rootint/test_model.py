"""The row of a backend: its constraints, its environment, its secret."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from apps.integrations.models import Integration
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.tenants import shadow_of


def create(**values: Any) -> Integration:
    row: Integration = Integration.objects.create(
        **{"name": "x", "base_url": "https://b.example", "signing_secret": "hush-hush", **values}
    )
    return row


def test_the_environment_is_the_tenants_whatever_was_asked(in_tenant: Tenant) -> None:
    assert create(environment="dev").environment == "live"
    with tenant_context(shadow_of(in_tenant)):
        assert create(environment="live").environment == "dev"


def test_updates_cannot_move_a_row_to_another_environment(in_tenant: Tenant) -> None:
    row = create()
    row.environment = "dev"
    row.save(update_fields=["name"])
    row.refresh_from_db()
    assert row.environment == "live"


@pytest.mark.usefixtures("in_tenant")
def test_a_name_is_taken_once() -> None:
    create()
    with pytest.raises(IntegrityError), transaction.atomic():
        create()


@pytest.mark.usefixtures("in_tenant")
def test_the_status_is_one_of_three() -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        create(status="broken")


@pytest.mark.usefixtures("in_tenant")
def test_the_secret_shows_nowhere() -> None:
    row = create()
    assert "hush-hush" not in f"{row} {row!r}"
