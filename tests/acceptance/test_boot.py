"""Acceptance 1, web part: migrated and started, it is healthy and has its root tenant."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client

from apps.tenancy.jobs import heartbeat
from apps.tenancy.models import ROOT_TENANT_ID, Tenant


@pytest.mark.parametrize("path", ["/health", "/ready"])
def test_anonymous_callers_learn_ok_and_no_more(committed_db: None, path: str) -> None:
    if path == "/ready":
        heartbeat.write()
    reply = Client().get(path)
    assert (reply.status_code, reply.json()) == (200, {"status": "ok"})


@pytest.mark.parametrize("path", ["/health", "/ready"])
def test_a_dead_database_is_down_without_a_traceback(committed_db: None, path: str) -> None:
    name = connection.settings_dict["NAME"]
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
    connection.settings_dict["NAME"] = "no_such_database"
    try:
        reply = Client().get(path)
        assert (reply.status_code, reply.json()) == (503, {"status": "down"})
    finally:
        connection.close_pool()  # type: ignore[attr-defined]
        connection.settings_dict["NAME"] = name


def test_the_root_tenant_is_seeded(committed_db: None) -> None:
    assert Tenant.objects.get(pk=ROOT_TENANT_ID).slug == "root"
