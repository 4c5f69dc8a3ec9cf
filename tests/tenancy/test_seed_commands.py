"""Seeding a key, a web token and a dashboard user: what was made works, and its secret is told once."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from apps.tenancy.api_keys import authenticate_key
from apps.tenancy.channels import active_channel, open_web_channel
from apps.tenancy.context import tenant_context
from apps.tenancy.dashboard_users import role_of
from apps.tenancy.models import Tenant, TenantApiKey


def told(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue().strip()


@pytest.mark.parametrize(("environment", "prefix"), [("live", "rpk_live_"), ("dev", "rpk_dev_")])
def test_a_seeded_key_opens_its_environment(tenant: Tenant, environment: str, prefix: str) -> None:
    words = ("--tenant", tenant.slug, "--name", "crm", "--environment", environment)
    secret = told("seed_api_key", *words).rpartition(" ")[2]

    holder = authenticate_key(secret)
    assert secret.startswith(prefix)
    assert (holder.tenant.environment, holder.key.name) == (environment, "crm")
    with tenant_context(tenant):
        assert all(secret not in str(row) for row in TenantApiKey.objects.values_list())


def test_a_key_needs_a_name_and_a_known_community(tenant: Tenant) -> None:
    for words in (("--tenant", tenant.slug, "--name", " "), ("--tenant", "nowhere")):
        with pytest.raises(CommandError):
            told("seed_api_key", *words)


def test_a_new_web_token_replaces_the_old_and_leaves_the_configuration(tenant: Tenant) -> None:
    with tenant_context(tenant):
        old = open_web_channel(config={"title": "Ask the house"})
    token = told("seed_web_token", "--tenant", tenant.slug).rpartition(" ")[2]

    with tenant_context(tenant):
        row = active_channel("web")
    assert row is not None
    assert row.secrets == {"access_token": token} and token != old
    assert row.config == {"title": "Ask the house"}


def test_a_seeded_user_gets_the_role_and_seeding_again_changes_it(tenant: Tenant) -> None:
    told("seed_config_user", "Ada@Harbour.example", "--tenant", tenant.slug)
    told("seed_config_user", "mo@harbour.example", "--tenant", tenant.slug, "--role", "admin")
    told("seed_config_user", "mo@harbour.example", "--tenant", tenant.slug, "--role", "owner")

    with tenant_context(tenant):
        assert (role_of("ada@harbour.example"), role_of("mo@harbour.example")) == ("owner", "owner")
    with pytest.raises(CommandError):
        told("seed_config_user", "not an address", "--tenant", tenant.slug)
