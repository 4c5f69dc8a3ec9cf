"""Setting up a community from the command line, as the README says it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from apps.tenancy import principals
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Principal, Tenant

ROOT = Path(__file__).resolve().parents[2]


def manage(database_url: str, *words: str) -> subprocess.CompletedProcess[str]:
    """The real command line: Django's own reads ``--settings`` before any command does."""
    environment = os.environ | {"DATABASE_URL": database_url, "NODE_ENV": "development"}
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def test_settings_are_the_communitys_and_not_djangos(database_url: str) -> None:
    made = manage(database_url, "tenant", "create", "quay", "--settings", '{"agent_character": "calm"}')
    assert made.returncode == 0, made.stderr
    assert Tenant.objects.get(slug="quay").config.agent_character == "calm"
    refused = manage(database_url, "tenant", "create", "pier", "--settings", "[]")
    assert refused.returncode == 1 and refused.stderr.startswith("CommandError: --settings must be")


def person() -> Principal:
    found = principals.by_ref("ada")
    assert found is not None
    return found


def test_setting_one_thing_of_a_person_leaves_the_others(tenant: Tenant) -> None:
    call_command(
        "principal", "set", tenant.slug, "--ref", "ada", "--name", "Ada", "--tier", "mentor", "--admin"
    )
    call_command("principal", "set", tenant.slug, "--ref", "ada", "--slack-user", "U0ADA")
    with tenant_context(tenant):
        row = person()
        assert (row.display_name, row.tier, row.is_admin, row.slack_user_id) == (
            "Ada",
            "mentor",
            True,
            "U0ADA",
        )
    call_command("principal", "set", tenant.slug, "--ref", "ada", "--no-admin")
    with tenant_context(tenant):
        assert person().is_admin is False


def test_a_new_person_is_a_member(tenant: Tenant) -> None:
    call_command("principal", "set", tenant.slug, "--ref", "ada")
    with tenant_context(tenant):
        assert (person().tier, person().is_admin) == ("member", False)


@pytest.mark.parametrize("words", [["--tier", "public"], ["--email", "no address"]])
def test_a_mistake_about_a_person_is_a_sentence(tenant: Tenant, words: list[str]) -> None:
    with pytest.raises(CommandError, match=r"\.$"):
        call_command("principal", "set", tenant.slug, "--ref", "ada", *words)
    with tenant_context(tenant):
        assert not Principal.objects.exists()
