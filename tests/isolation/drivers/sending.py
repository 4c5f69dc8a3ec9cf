"""The same message to the same channel and address: each goes through its own community's hands."""

from __future__ import annotations

from uuid import uuid4

from apps.agent.outgoing import Outgoing, send
from apps.integrations.email import choosing, letter
from apps.tenancy.channels import set_channel
from tests.fakes.backend import Reply
from tests.isolation.cast import EMAIL, Community
from tests.isolation.workspaces import CHANNEL


def on_slack(community: Community) -> object:
    text = f"The kiln of {community.marker} is closed."
    row = send(Outgoing(channel="slack", slack_channel_id=CHANNEL, text=text), message_id=uuid4())
    assert row.status == "sent"
    assert [each["text"] for each in community.slack.called("chat.postMessage")] == [text]
    return row


def by_mail(community: Community) -> object:
    community.house.answer("POST /mail", Reply(status=202))
    set_channel(
        "email",
        config={"mode": "byo_webhook", "outbound_webhook_url": f"{community.house.url}/mail"},
        secrets={"outbound_signing_secret": str(community.house.secret)},
    )
    assert choosing.carrier().name == "webhook"
    text = f"The kiln of {community.marker} is warm."
    row = send(Outgoing(channel="email", email=EMAIL, text=text), message_id=uuid4())
    [sent] = community.house.calls("POST /mail")
    assert row.status == "sent" and sent.signed and sent.json["text"] == text
    return [row, letter.sender(None, domain="mail.example")]


DRIVERS = (on_slack, by_mail)
