"""Values for the whole platform: read once a minute, and at once after a save."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction

from apps.foundation import ttl_cache
from apps.tenancy.models import PlatformSetting
from apps.tenancy.platform_settings import platform_setting, save_platform_setting, stored_setting

KEY = "house.rule"


def read() -> Any:
    return platform_setting(KEY, view=lambda value: value)


@pytest.mark.usefixtures("db")
def test_an_absent_setting_is_none_and_asked_for_once(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        assert [read(), read(), read()] == [None, None, None]


@pytest.mark.usefixtures("db")
def test_a_save_shows_at_once_and_none_takes_it_away() -> None:
    assert read() is None
    save_platform_setting(KEY, {"a": [1]})
    assert read() == {"a": [1]} == stored_setting(KEY)
    save_platform_setting(KEY, "two")
    assert read() == "two"
    save_platform_setting(KEY, None)
    assert read() is None
    assert not PlatformSetting.objects.exists()


@pytest.mark.usefixtures("db")
def test_the_view_is_made_once() -> None:
    save_platform_setting(KEY, [1, 2])
    made = [platform_setting(KEY, view=tuple) for _ in range(3)]
    assert made[0] is made[1] is made[2]


@pytest.mark.usefixtures("db")
def test_a_change_behind_our_back_shows_once_the_minute_is_over() -> None:
    save_platform_setting(KEY, 1)
    assert read() == 1
    PlatformSetting.objects.update(value=2)
    assert (read(), stored_setting(KEY)) == (1, 2)
    ttl_cache.clear_all()
    assert read() == 2


@pytest.mark.usefixtures("committed_db")
def test_a_reader_during_a_save_does_not_keep_the_old_value_alive() -> None:
    def elsewhere() -> Any:
        try:
            return read()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            save_platform_setting(KEY, "new")
            assert pool.submit(elsewhere).result() is None
        assert read() == "new"
