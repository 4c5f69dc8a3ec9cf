"""Setting up a channel from the command line."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant, TenantChannel


def seeded(*words: str) -> str:
    out = StringIO()
    call_command("seed_channel", *words, "--tenant", "harbour", stdout=out)
    return out.getvalue().strip()


def the_row(tenant: Tenant) -> TenantChannel:
    with tenant_context(tenant):
        row: TenantChannel = TenantChannel.objects.get()
        return row


def test_a_channel_is_written_and_its_secrets_are_not_shown(tenant: Tenant) -> None:
    said = seeded(
        "slack", "--config", "{}", "--secrets", '{"bot_token": "xoxb-1", "signing_secret": "shh-1"}'
    )
    assert said == "harbour: slack is active, with bot_token, signing_secret."
    assert the_row(tenant).secrets == {"bot_token": "xoxb-1", "signing_secret": "shh-1"}


def test_what_is_not_given_stays_and_a_channel_that_was_off_is_on(tenant: Tenant) -> None:
    seeded("email", "--config", '{"mode": "platform_alias"}', "--secrets", '{"inbound_token": "t"}')
    with tenant_context(tenant):
        TenantChannel.objects.update(status="disabled")
    seeded("email", "--config", '{"mode": "byo_webhook"}')
    row = the_row(tenant)
    assert (row.config, row.secrets, row.status) == (
        {"mode": "byo_webhook"},
        {"inbound_token": "t"},
        "active",
    )


@pytest.mark.parametrize(
    "secrets",
    ['{"bot_token": ""}', '{"bot_token": 7}', '{"bot_tokn": "xoxb-secret"}', '["xoxb-secret"]', "{xoxb-secret",
     '{"bot_token": "xoxb-secret\\nx"}', '{"access_token": "xoxb-secret"}'],
)  # fmt: skip
def test_mistakes_are_said_without_the_secret(tenant: Tenant, secrets: str) -> None:
    with pytest.raises(CommandError) as caught:
        seeded("slack", "--secrets", secrets)
    assert "xoxb-secret" not in str(caught.value)
    with tenant_context(tenant):
        assert TenantChannel.objects.count() == 0
