"""A query without a tenant raises; with one it sees that tenant's rows only."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from apps.tenancy.context import NoTenant, tenant_context
from apps.tenancy.models import Principal, Tenant
from apps.tenancy.scoping import WrongTenant, unscoped


def test_every_way_of_asking_without_a_tenant_raises(tenant: Tenant) -> None:
    ways: list[Callable[[], object]] = [
        lambda: Principal.objects.all(),  # noqa: PLW0108
        lambda: Principal.objects.filter(ref="a").first(),
        lambda: Principal.objects.count(),  # noqa: PLW0108
        lambda: Principal.objects.create(ref="a"),
        lambda: Principal(ref="a", tenant=tenant).save(),
        lambda: Principal.objects.bulk_create([Principal(ref="a")]),
        lambda: Principal._base_manager.all(),  # noqa: PLW0108
    ]
    for way in ways:
        with pytest.raises(NoTenant):
            way()


def test_equal_refs_in_two_communities_never_meet(tenant: Tenant, other_tenant: Tenant) -> None:
    with tenant_context(tenant):
        Principal.objects.create(ref="p1", display_name="Ada")
    with tenant_context(other_tenant):
        Principal.objects.create(ref="p1", display_name="Bea")
        assert Principal.objects.get(ref="p1").display_name == "Bea"
        assert Principal.objects.update(display_name="Changed") == 1
    with tenant_context(tenant):
        assert Principal.objects.get(ref="p1").display_name == "Ada"
        assert Principal.objects.count() == 1
    assert unscoped(Principal).count() == 2


def test_a_row_cannot_be_written_from_another_tenants_context(tenant: Tenant, other_tenant: Tenant) -> None:
    with tenant_context(tenant):
        row = Principal.objects.create(ref="p1")
    with tenant_context(other_tenant):
        row.display_name = "taken over"
        for write in (row.save, row.delete, lambda: Principal.objects.bulk_create([row])):
            with pytest.raises(WrongTenant):
                write()
        with pytest.raises(WrongTenant):
            Principal.objects.update(tenant=other_tenant)
    with tenant_context(tenant):
        assert Principal.objects.get().display_name == ""


def test_another_tenants_id_looks_like_no_id(tenant: Tenant, other_tenant: Tenant) -> None:
    with tenant_context(tenant):
        row = Principal.objects.create(ref="p1")
    with tenant_context(other_tenant), pytest.raises(Principal.DoesNotExist):
        Principal.objects.get(pk=row.pk)
    with tenant_context(other_tenant), pytest.raises(Principal.DoesNotExist):
        row.refresh_from_db()


def test_contexts_nest_and_end(tenant: Tenant, other_tenant: Tenant) -> None:
    with tenant_context(tenant):
        with tenant_context(other_tenant):
            assert Principal.objects.count() == 0
            Principal.objects.create(ref="inner")
        assert Principal.objects.count() == 0
    with pytest.raises(NoTenant):
        Principal.objects.count()
