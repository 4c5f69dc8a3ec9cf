"""Making and finding communities."""

from __future__ import annotations

import uuid

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from apps.foundation.errors import BadInput, Conflict, NotFound
from apps.tenancy.models import ROOT_TENANT_ID, Tenant
from apps.tenancy.settings_schema import TenantSettings
from apps.tenancy.tenants import create_tenant, find_tenant, shadow_of, tenant_by_id, update_settings


def test_the_root_tenant_is_seeded_with_its_fixed_id(db: None) -> None:
    assert (
        Tenant.objects.get(slug="root").pk
        == ROOT_TENANT_ID
        == uuid.UUID("11111111-1111-4111-8111-111111111111")
    )


@pytest.mark.parametrize("slug", ["", "A", "a b", "-a", "a-", "a--dev", "ä", "a" * 64, "a/b", "a\x00"])
def test_a_bad_slug_is_refused_with_a_sentence(db: None, slug: str) -> None:
    with pytest.raises(BadInput, match="slug"):
        create_tenant(slug)
    with pytest.raises(NotFound):
        find_tenant(slug)


def test_a_taken_slug_conflicts(tenant: Tenant) -> None:
    with pytest.raises(Conflict):
        create_tenant(tenant.slug)


def test_rows_are_found_by_slug_and_id(tenant: Tenant, other_tenant: Tenant) -> None:
    assert find_tenant("harbour").pk == tenant.pk
    assert tenant_by_id(other_tenant.pk).slug == "mill"
    with pytest.raises(NotFound):
        tenant_by_id(uuid.uuid4())


def test_settings_somebody_stores_are_checked(tenant: Tenant) -> None:
    with pytest.raises(BadInput, match="access"):
        update_settings(tenant, {"access": {"slack": "everyone"}})
    assert (
        update_settings(tenant, {"access": {"default_tier": "friend"}}).config.access.default_tier == "friend"
    )
    assert find_tenant(tenant.slug).config.access.default_tier == "friend"


def test_the_identity_is_mirrored_across_the_pair_and_nothing_else(tenant: Tenant) -> None:
    shadow = shadow_of(tenant)
    update_settings(shadow, {"access": {"default_tier": "tester"}})
    update_settings(
        tenant, {"persona": {"identity": "You are Pilot."}, "admin_emails": ["a@harbour.example"]}
    )
    mirrored = find_tenant(shadow.slug)
    assert mirrored.config.persona.identity == "You are Pilot."
    assert (mirrored.config.access.default_tier, mirrored.config.admin_emails) == ("tester", [])
    update_settings(shadow, {"agent_character": "calm"})
    live = find_tenant(tenant.slug)
    assert (live.config.agent_character, live.config.persona.identity) == ("calm", "")
    assert live.config.admin_emails == ["a@harbour.example"]


@pytest.mark.parametrize("stored", [None, [], "x", {"persona": 3}, {"limits": {"sync_cap": "many"}}])
def test_malformed_stored_settings_count_as_unset(stored: object) -> None:
    assert TenantSettings.read(stored).access.default_tier == "member"


def test_malformed_stored_access_trusts_nobody() -> None:
    access = TenantSettings.read({"access": {"slack": 7}, "agent_character": "calm"}).access
    assert (access.slack, access.email, access.dashboard_users) == ("integration", "integration", False)


def test_the_database_holds_the_vocabulary_and_one_shadow(tenant: Tenant) -> None:
    for values in ({"status": "gone"}, {"environment": "test"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Tenant.objects.create(slug=str(values)[:9], display_name="x", **values)
    Tenant.objects.create(slug="s1", display_name="x", live_tenant=tenant, environment="dev")
    with pytest.raises(IntegrityError), transaction.atomic():
        Tenant.objects.create(slug="s2", display_name="x", live_tenant=tenant, environment="dev")


def test_the_command_makes_a_pair_and_answers_nonsense_with_a_sentence(db: None) -> None:
    call_command(
        "tenant", "create", "quay", "--name", "Quay", "--timezone", "Europe/Lisbon", "--settings", "{}"
    )
    call_command("tenant", "create", "quay", "--dev")
    assert Tenant.objects.get(slug="quay--dev").live_tenant == Tenant.objects.get(slug="quay")
    for words in (["--settings", "{"], ["--settings", "[]"], ["--timezone", "Mars/Base"]):
        with pytest.raises(CommandError):
            call_command("tenant", "create", "pier", *words)
    assert not Tenant.objects.filter(slug="pier").exists()


def test_a_shadow_rests_with_its_live_community(tenant: Tenant) -> None:
    shadow = shadow_of(tenant)
    assert shadow.is_active
    Tenant.objects.filter(pk=tenant.pk).update(status="suspended")
    assert not Tenant.objects.get(pk=shadow.pk).is_active
