"""A query without a tenant raises; with one it sees that tenant's rows only."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db.models import Count

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


def test_a_conflict_never_reaches_another_tenants_row(tenant: Tenant, other_tenant: Tenant) -> None:
    with tenant_context(tenant):
        theirs = Principal.objects.create(ref="p1", display_name="Ada")
    with tenant_context(other_tenant):
        mine = Principal(pk=theirs.pk, ref="p2", display_name="Taken")
        for unique, changed in (
            (["id"], ["display_name"]),
            (["id"], ["display_name", "tenant"]),
            (["tenant", "ref"], ["tenant"]),
            (["tenant_id", "ref"], ["tenant_id"]),
            (None, ["display_name"]),
        ):
            with pytest.raises(WrongTenant):
                Principal.objects.bulk_create(
                    [mine], update_conflicts=True, unique_fields=unique, update_fields=changed
                )
        with pytest.raises(WrongTenant):
            Principal.objects.bulk_update([theirs], ["display_name"])
    with tenant_context(tenant):
        assert Principal.objects.get().display_name == "Ada"


def test_a_bare_id_deletes_nothing(tenant: Tenant, other_tenant: Tenant) -> None:
    with tenant_context(tenant):
        theirs = Principal.objects.create(ref="p1")
    with tenant_context(other_tenant), pytest.raises(WrongTenant):
        Principal(pk=theirs.pk).delete()
    assert unscoped(Principal).filter(pk=theirs.pk).exists()


def test_raw_sql_does_not_go_through_the_manager(tenant: Tenant) -> None:
    with tenant_context(tenant), pytest.raises(WrongTenant):
        Principal.objects.raw("SELECT * FROM principals")


def test_a_query_runs_only_for_whom_it_was_made(tenant: Tenant, other_tenant: Tenant) -> None:
    with tenant_context(tenant):
        row = Principal.objects.create(ref="p1")
        made = Principal.objects.filter(ref="p1").order_by("ref")
        fetched = Principal.objects.all()
        assert list(fetched) == [row]
    ways: list[Callable[[], object]] = [
        lambda: list(made),
        lambda: list(made.iterator()),
        lambda: list(made.values("ref")),
        made.first,
        made.count,
        made.exists,
        made.delete,
        lambda: made.get(pk=row.pk),
        lambda: made.update(ref="p2"),
        lambda: made.aggregate(Count("pk")),
        lambda: made.in_bulk([row.pk]),
        lambda: made.bulk_create([Principal(ref="p3")]),
    ]
    for way in ways:
        with tenant_context(other_tenant), pytest.raises(WrongTenant):
            way()
        with pytest.raises(NoTenant):
            way()
    assert list(fetched) == [row], "what was fetched in its context may be handed on"


def test_rows_of_two_tenants_are_not_joined(tenant: Tenant, other_tenant: Tenant) -> None:
    with tenant_context(tenant):
        theirs = Principal.objects.filter(ref="p1")
    with tenant_context(other_tenant):
        mine = Principal.objects.filter(ref="p1")
        joins: list[Callable[[], object]] = [
            lambda: mine | theirs,
            lambda: mine.union(theirs),
            lambda: mine | unscoped(Principal),
        ]
        for join in joins:
            with pytest.raises(WrongTenant):
                join()
        assert not (mine | Principal.objects.filter(ref="p2")).exists()


def test_contexts_nest_and_end(tenant: Tenant, other_tenant: Tenant) -> None:
    with tenant_context(tenant):
        with tenant_context(other_tenant):
            assert Principal.objects.count() == 0
            Principal.objects.create(ref="inner")
        assert Principal.objects.count() == 0
    with pytest.raises(NoTenant):
        Principal.objects.count()
