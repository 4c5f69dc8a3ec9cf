"""Additions are read once a minute, and at once after a save."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction

from apps.agent.models import RootPrompt
from apps.agent.prompts import store
from apps.foundation import ttl_cache
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant

KEY = "slack.formatting_section"


@pytest.mark.usefixtures("in_tenant")
def test_one_query_a_minute_for_the_community_and_one_for_the_platform(
    django_assert_num_queries: Any,
) -> None:
    with django_assert_num_queries(2):
        for _ in range(5):
            store.text_of(KEY)


@pytest.mark.usefixtures("in_tenant")
def test_a_change_behind_our_back_shows_once_the_minute_is_over() -> None:
    store.save_addition(KEY, "- Old.", saved_by="ana")
    assert store.additions() == {KEY: "- Old."}
    RootPrompt.objects.filter(key=KEY).update(content="- New.")
    assert store.additions() == {KEY: "- Old."}
    # The cache's own test moves its clock; here it is enough that the minute is a minute and then ends.
    assert store.CACHE_SECONDS == 60
    ttl_cache.clear_all()
    assert store.additions() == {KEY: "- New."}


@pytest.mark.usefixtures("in_tenant")
def test_a_save_shows_at_once() -> None:
    assert store.additions() == {}
    store.save_addition(KEY, "- New.", saved_by="ana")
    assert store.additions() == {KEY: "- New."}


@pytest.mark.usefixtures("in_tenant")
def test_what_a_caller_does_to_its_copy_stays_there() -> None:
    store.additions()["slack.footer"] = "mine"
    assert store.additions() == {}


@pytest.mark.usefixtures("committed_db")
def test_saves_at_the_same_time_all_leave_a_version(tenant: Tenant) -> None:
    def save(number: int) -> None:
        try:
            with tenant_context(tenant):
                store.save_addition(KEY, f"- {number}.", saved_by="ana")
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(save, range(16)))
    with tenant_context(tenant):
        contents = {version.content for version in store.versions(KEY)}
        assert contents == {f"- {number}." for number in range(16)}
        assert RootPrompt.objects.get(key=KEY).content in contents
        assert store.additions()[KEY] == RootPrompt.objects.get(key=KEY).content


@pytest.mark.usefixtures("committed_db")
def test_a_reader_during_a_save_does_not_keep_the_old_text_alive(tenant: Tenant) -> None:
    def read() -> dict[str, str]:
        try:
            with tenant_context(tenant):
                return store.additions()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as elsewhere, tenant_context(tenant):
        with transaction.atomic():
            store.save_addition(KEY, "- New.", saved_by="ana")
            assert elsewhere.submit(read).result() == {}
        assert store.additions() == {KEY: "- New."}
