"""Whose secrets count: the channel's, the community's, and for the root tenant the deployment's."""

from __future__ import annotations

from typing import Any

from pydantic import SecretStr

from apps.integrations.slack.credentials import BOT_TOKEN, SIGNING_SECRET, slack_credentials
from apps.tenancy.context import tenant_context
from apps.tenancy.credentials import store_credential
from apps.tenancy.models import ROOT_TENANT_SLUG, Tenant, TenantChannel
from apps.tenancy.tenants import find_tenant


def token() -> str | None:
    found = slack_credentials().bot_token
    return found.get_secret_value() if found else None


def deploy(settings: Any) -> None:
    secrets = {"slack_bot_token": SecretStr("xoxb-env"), "slack_signing_secret": SecretStr("env-signs")}
    settings.ENV = settings.ENV.model_copy(update=secrets)


def test_in_this_order(in_tenant: Tenant, settings: Any) -> None:
    deploy(settings)
    assert token() is None
    store_credential(BOT_TOKEN, value="xoxb-kept")
    assert token() == "xoxb-kept"
    channel = TenantChannel.objects.create(type="slack", secrets={"bot_token": "xoxb-channel"})
    assert token() == "xoxb-channel"
    for nothing in ("", " ", None, 7, ["x"]):
        channel.secrets = {"bot_token": nothing}
        channel.save()
        assert token() == "xoxb-kept"


def test_each_secret_is_looked_for_by_itself(in_tenant: Tenant) -> None:
    TenantChannel.objects.create(type="slack", secrets={"bot_token": "xoxb-channel"})
    store_credential(SIGNING_SECRET, value="kept-signs")
    found = slack_credentials()
    assert found.signing_secret is not None and found.signing_secret.get_secret_value() == "kept-signs"
    assert "xoxb" not in repr(found) and "signs" not in repr(found)


def test_a_channel_that_is_off_has_none_anywhere(in_tenant: Tenant) -> None:
    store_credential(BOT_TOKEN, value="xoxb-kept")
    TenantChannel.objects.create(type="slack", secrets={"bot_token": "xoxb-channel"}, status="disabled")
    assert token() is None


def test_the_deployments_own_are_the_root_tenants(db: None, settings: Any, tenant: Tenant) -> None:
    deploy(settings)
    with tenant_context(find_tenant(ROOT_TENANT_SLUG)):
        assert token() == "xoxb-env"
    with tenant_context(tenant):
        assert token() is None
