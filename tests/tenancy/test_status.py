"""Suspending and waking communities, and what this process remembers of their rows meanwhile."""

from __future__ import annotations

from threading import Thread
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from apps.foundation.database import give_back
from apps.foundation.errors import BadInput, Conflict, NotFound
from apps.tenancy import row_cache
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.tenants import (
    active_tenants,
    find_tenant,
    set_status,
    shadow_of,
    tenant_by_id,
    update_settings,
    update_tenant,
)


def active() -> set[str]:
    return {row.slug for row in active_tenants()} - {"root"}


def test_a_live_row_takes_its_shadow_to_rest_and_back(tenant: Tenant, other_tenant: Tenant) -> None:
    shadow = shadow_of(tenant)
    assert active() == {"harbour", "harbour--dev", "mill"}
    find_tenant(shadow.slug), tenant_by_id(shadow.pk)
    set_status(tenant, "suspended")
    assert active() == {"mill"}
    assert not find_tenant(tenant.slug).is_active
    assert not find_tenant(shadow.slug).is_active
    assert not tenant_by_id(shadow.pk).is_active
    set_status(tenant, "active")
    assert find_tenant(shadow.slug).is_active
    assert active() == {"harbour", "harbour--dev", "mill"}


def test_a_shadow_rests_alone_and_stays_at_rest(tenant: Tenant) -> None:
    shadow = shadow_of(tenant)
    set_status(shadow, "suspended")
    assert active() == {"harbour"}
    set_status(tenant, "suspended")
    with pytest.raises(Conflict):
        set_status(shadow, "active")
    set_status(tenant, "active")
    assert active() == {"harbour"}
    assert set_status(shadow, "active").is_active


def test_other_words_for_a_status_are_refused(tenant: Tenant) -> None:
    for word in ("", "gone", "ACTIVE"):
        with pytest.raises(BadInput):
            set_status(tenant, word)
    vanished = Tenant(slug="vanished")
    with pytest.raises(NotFound):
        set_status(vanished, "active")


def test_the_command_says_what_it_did(tenant: Tenant, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("tenant", "suspend", tenant.slug)
    assert "harbour is suspended" in capsys.readouterr().out
    assert not find_tenant(tenant.slug).is_active
    call_command("tenant", "activate", tenant.slug)
    assert find_tenant(tenant.slug).is_active
    with pytest.raises(CommandError):
        call_command("tenant", "suspend", "nowhere")


def test_rows_are_asked_for_once_in_a_while(tenant: Tenant, django_assert_num_queries: Any) -> None:
    shadow = shadow_of(tenant)
    assert find_tenant(shadow.slug).is_active
    with django_assert_num_queries(0):
        assert find_tenant(shadow.slug).is_active
        assert tenant_by_id(shadow.pk).is_active


def test_whoever_changes_a_row_sees_the_change_at_once(tenant: Tenant) -> None:
    shadow = shadow_of(tenant)
    find_tenant(tenant.slug), find_tenant(shadow.slug)
    update_settings(tenant, {"agent_character": "calm"})
    assert find_tenant(shadow.slug).config.agent_character == "calm"
    row = find_tenant(tenant.slug)
    with tenant_context(row):
        Tenant.objects.get(pk=row.pk).delete()
    for slug in (tenant.slug, shadow.slug):
        with pytest.raises(NotFound):
            find_tenant(slug)


@pytest.mark.usefixtures("committed_db")
def test_what_a_transaction_takes_back_was_never_remembered(tenant: Tenant) -> None:
    class Undone(Exception):
        pass

    with pytest.raises(Undone), transaction.atomic():
        set_status(tenant, "suspended")
        assert not find_tenant(tenant.slug).is_active
        raise Undone
    assert find_tenant(tenant.slug).is_active


@pytest.mark.usefixtures("committed_db")
def test_what_others_read_before_the_commit_is_not_kept_after_it(tenant: Tenant) -> None:
    seen: list[bool] = []

    def look() -> None:
        seen.append(find_tenant(tenant.slug).is_active)
        give_back()

    with transaction.atomic():
        set_status(tenant, "suspended")
        reader = Thread(target=look)
        reader.start()
        reader.join(30)
    assert seen == [True]
    assert not find_tenant(tenant.slug).is_active


def test_names_and_zone_are_checked_and_the_agents_name_is_mirrored(tenant: Tenant) -> None:
    shadow = shadow_of(tenant)
    changed = update_tenant(shadow, display_name="Test bed", agent_name=" Skipper\n ", timezone="UTC")
    assert (changed.display_name, changed.agent_name, changed.timezone) == ("Test bed", "Skipper", "UTC")
    live = find_tenant(tenant.slug)
    assert (live.display_name, live.agent_name, live.timezone) == (
        "Harbour Works",
        "Skipper",
        "Europe/Lisbon",
    )
    wrongs: list[dict[str, Any]] = [
        {"display_name": " "},
        {"agent_name": "\u200b"},
        {"timezone": "Mars/Base"},
    ]
    for wrong in wrongs:
        with pytest.raises(BadInput):
            update_tenant(tenant, **wrong)


def test_a_new_shadow_trusts_whom_its_live_row_trusts_then(tenant: Tenant) -> None:
    update_settings(tenant, {"access": {"slack": "integration"}, "admin_emails": ["a@harbour.example"]})
    shadow = shadow_of(find_tenant(tenant.slug))
    assert shadow.config.access.slack == "integration"
    assert shadow.config.admin_emails == []
    update_settings(tenant, {"access": {"slack": "open"}})
    assert find_tenant(shadow.slug).config.access.slack == "integration"


def test_a_change_forgets_both_rows_of_the_pair(tenant: Tenant) -> None:
    shadow = shadow_of(tenant)
    find_tenant(tenant.slug), find_tenant(shadow.slug)
    assert row_cache.cached(slug=tenant.slug) and row_cache.cached(tenant_id=shadow.pk)
    tenant.save()
    assert row_cache.cached(slug=shadow.slug) is None and row_cache.cached(tenant_id=tenant.pk) is None
