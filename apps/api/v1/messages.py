"""POST /messages: the agent writes to somebody, on Slack or by mail (contract §8.2, §8.3, §12.2)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, cast
from uuid import UUID, uuid4

from pydantic import BaseModel, Field, RootModel, StringConstraints
from rest_framework.request import Request

from apps.agent import outgoing
from apps.agent.models import ConversationLog
from apps.api.idempotent import PARAMETER, once
from apps.api.operation import Answered, TenantView, operation
from apps.api.reading import Body
from apps.tenancy.idempotency import Claim

_LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
Said = Annotated[
    str,
    StringConstraints(pattern=r"^[^\x00]*[^\s\x00][^\x00]*$", max_length=20_000),
    Field(
        description="Markdown; it is written the way the channel writes.", examples=["The door code changed."]
    ),
]
Subject = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=200)]
Address = Annotated[
    str,
    StringConstraints(
        pattern=rf"^[A-Za-z0-9_%+-]{{1,30}}(\.[A-Za-z0-9_%+-]{{1,30}})?@{_LABEL}(\.{_LABEL})+$",
        max_length=254,
    ),
    Field(examples=["ada@harbour.example"]),
]


class ToSlackUser(Body):
    """A direct message."""

    slack_user_id: Annotated[
        str, StringConstraints(pattern=r"^[UW][A-Z0-9]{2,40}$"), Field(examples=["U0ADA"])
    ]


class ToSlackChannel(Body):
    """A channel the agent is in."""

    slack_channel_id: Annotated[
        str, StringConstraints(pattern=r"^[CDG][A-Z0-9]{2,40}$"), Field(examples=["C0GENERAL"])
    ]


class ToAddress(Body):
    """Somebody with this mail address; on Slack a direct message to the account that is known for them."""

    email: Address


class SlackMessageSent(Body):
    """A message on Slack."""

    channel: Literal["slack"]
    target: ToSlackUser | ToSlackChannel | ToAddress
    text: Said
    thread_ts: Annotated[
        str | None,
        Field(pattern=r"^[0-9]{10}\.[0-9]{6}$", description="The thread to answer in.", examples=[None]),
    ] = None


class MailSent(Body):
    """A mail."""

    channel: Literal["email"]
    target: ToAddress
    text: Said
    subject: Subject | None = None


class MessageSent(RootModel[Annotated[SlackMessageSent | MailSent, Field(discriminator="channel")]]):
    """What to send, and where."""


class MessageOutcome(BaseModel):
    """What became of it."""

    id: Annotated[UUID, Field(description="Its row among the conversations.")]
    status: Annotated[
        Literal["sent", "uncertain"],
        Field(
            description="`uncertain`: the carrier left open whether it took the message; it is not sent again."
        ),
    ]
    channel: Literal["slack", "email"]
    slack_channel_id: str | None
    slack_ts: str | None
    to_email: str | None
    external_id: Annotated[str | None, Field(description="The carrier's name for it.")]
    sent_at: datetime


class Messages(TenantView):
    """Sending."""

    @operation(
        "Send a message",
        name="messages_send",
        tag="Messages",
        answers={200: MessageOutcome, 202: MessageOutcome},
        body=MessageSent,
        refuses={404, 409},
        headers=[PARAMETER],
    )
    def post(self, request: Request, body: MessageSent) -> Answered:
        """In the agent's name. 202: nobody knows whether it arrived. 409: there is nothing to send with.

        With an Idempotency-Key the same request is sent once, also when this server dies half way.
        """
        message = outgoing.Outgoing(**_flat(body.root))

        def work(claim: Claim | None) -> Answered:
            name = claim.id if claim else uuid4()
            row = outgoing.send(message, message_id=name, again=claim is not None and claim.again)
            return Answered(status=200 if row.status == outgoing.SENT else 202, body=_shown(row))

        return once(request, operation="messages", content=cast(bytes, request.data), work=work)


def _flat(sent: SlackMessageSent | MailSent) -> dict[str, Any]:
    given: dict[str, Any] = sent.model_dump(exclude={"target"}, exclude_none=True)
    return {**given, **sent.target.model_dump()}


def _shown(row: ConversationLog) -> MessageOutcome:
    return MessageOutcome.model_validate(
        {
            "id": row.pk,
            "status": row.status,
            "channel": row.channel,
            "slack_channel_id": row.slack_channel_id or None,
            "slack_ts": row.slack_message_ts or None,
            "to_email": row.to_email or None,
            "external_id": row.external_message_id or None,
            "sent_at": row.message_at,
        }
    )
