"""Deleting a live community takes its shadow and all their rows along; the database holds it."""

from __future__ import annotations

from django.apps import apps
from django.db import connection, models

from apps.agent.models import ConversationLog
from apps.foundation import clock
from apps.integrations.models import Integration
from apps.knowledge.models import KnowledgePage
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Principal, Tenant
from apps.tenancy.scoping import unscoped
from apps.tenancy.tenants import shadow_of


def fill(tenant: Tenant) -> None:
    with tenant_context(tenant):
        person = Principal.objects.create(ref="p1")
        Integration.objects.create(name="crm", base_url="https://crm.example", signing_secret="a secret")
        KnowledgePage.objects.create(title="T", slug="t", content_html="<p>x</p>", public_id="p" * 16)
        ConversationLog.objects.create(
            principal=person,
            dedupe_key="k:in",
            exchange_key="k",
            channel="web",
            direction="inbound",
            message_at=clock.now(),
        )


def test_a_live_community_goes_with_its_shadow(tenant: Tenant, other_tenant: Tenant) -> None:
    for row in (tenant, shadow_of(tenant), other_tenant):
        fill(row)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM tenants WHERE id = %s", [tenant.pk])
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    for model in (Principal, Integration, KnowledgePage, ConversationLog):
        assert {row.tenant_id for row in unscoped(model)} == {other_tenant.pk}


def test_a_person_who_goes_leaves_what_was_said(tenant: Tenant) -> None:
    fill(tenant)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM principals")
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert unscoped(ConversationLog).get().principal_id is None


HELD = {models.CASCADE: "c", models.SET_NULL: "n"}


def test_the_database_holds_what_the_models_say_of_every_key(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text, a.attname, confdeltype::text FROM pg_constraint"
            " JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = ANY(conkey)"
            " WHERE contype = 'f' AND cardinality(conkey) = 1"
        )
        held = {(table, column): kind for table, column, kind in cursor.fetchall()}
    keys = {
        (model._meta.db_table, field.column): HELD[field.remote_field.on_delete]
        for model in apps.get_models()
        if model.__module__.startswith("apps.")
        for field in model._meta.local_fields
        if isinstance(field, models.ForeignKey) and getattr(field, "db_constraint", True)
    }
    assert len(keys) > 30
    assert {key: (wanted, held.get(key)) for key, wanted in keys.items() if held.get(key) != wanted} == {}
