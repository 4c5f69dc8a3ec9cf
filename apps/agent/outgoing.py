"""Messages that programs send in the agent's name: each once, and on record (contract §8.2, §8.3, §12.2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal
from uuid import UUID

from apps.agent.conversations import thread_key_for
from apps.agent.models import ConversationLog
from apps.foundation import clock
from apps.foundation.errors import NotFound, RootError
from apps.foundation.text import clean
from apps.integrations.delivery import Delivered, DeliveryUncertain
from apps.integrations.email.carriers import Carrier
from apps.integrations.email.choosing import carrier
from apps.integrations.email.letter import Letter, letter
from apps.integrations.slack import delivery
from apps.integrations.slack.failure import SlackFailure
from apps.knowledge.page_addresses import without_link_tokens
from apps.tenancy import principals
from apps.tenancy.models import Principal

SOURCE: Final = "program"
SENDING: Final = "sending"
SENT: Final = "sent"
UNCERTAIN: Final = "uncertain"
FAILED: Final = "failed"
NO_BINDING: Final = "No Slack account is known for somebody with this address."
Status = Literal["sent", "uncertain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """What is sent and where: on Slack to exactly one of person, channel and address, by mail to an address."""

    channel: Literal["slack", "email"]
    text: str = field(repr=False)
    slack_user_id: str | None = None
    slack_channel_id: str | None = None
    email: str | None = None
    subject: str | None = None
    thread_ts: str | None = None


def send(message: Outgoing, *, message_id: UUID, again: bool = False) -> ConversationLog:
    """Sends and records it. ``again``: a process that died may have sent it; then it is looked for first.

    The row's status tells ``sent`` or, when the carrier left that open, ``uncertain``; such a message is not sent a
    second time. Raises a typed error when nothing was sent.
    """
    row = _left_open(message_id) if again else None
    if row is not None and row.status != SENDING:
        return row
    return (
        _on_slack(message, message_id, row)
        if message.channel == "slack"
        else _by_mail(message, message_id, row)
    )


def _on_slack(message: Outgoing, message_id: UUID, row: ConversationLog | None) -> ConversationLog:
    name, thread = str(message_id), message.thread_ts
    if row is None:
        row = _slack_row(message, message_id)
    else:
        try:
            found = delivery.find_posted(row.slack_channel_id, message_id=name, thread_ts=thread)
        except SlackFailure:
            return _settled(row, None)
        if found is not None:
            return _settled(row, found)
    place = row.slack_channel_id
    try:
        return _settled(row, delivery.post(place, message.text, message_id=name, thread_ts=thread))
    except DeliveryUncertain:
        return _settled(row, _looked_for(place, name, thread))
    except RootError:
        _fail(row)
        raise


def _looked_for(place: str, name: str, thread_ts: str | None) -> Delivered | None:
    try:
        return delivery.find_posted(place, message_id=name, thread_ts=thread_ts)
    except SlackFailure:
        return None


def _slack_row(message: Outgoing, message_id: UUID) -> ConversationLog:
    person = _person(message)
    user = message.slack_user_id or (person.slack_user_id if person else None)
    place = message.slack_channel_id or delivery.direct_channel(user or "")
    return _new_row(
        message,
        message_id,
        person=person,
        slack_user_id=user or "",
        slack_channel_id=place,
        slack_thread_ts=message.thread_ts or "",
        thread_key=thread_key_for("slack", user=user or place, given=message.thread_ts),
    )


def _by_mail(message: Outgoing, message_id: UUID, row: ConversationLog | None) -> ConversationLog:
    address, is_first = message.email or "", row is None
    try:
        by = carrier()
    except RootError:
        if row is None:
            raise
        return _settled(row, None)
    written = letter(key=str(message_id), to=address, subject=message.subject, text=message.text)
    if row is None:
        row = _new_row(
            message,
            message_id,
            person=principals.by_email(address),
            to_email=address,
            subject=written.subject,
            thread_key=thread_key_for("email", user=address, given=None),
        )
    elif not by.is_repeatable:
        return _settled(row, None)
    return _carried(row, by, written, is_first=is_first)


def _carried(row: ConversationLog, by: Carrier, written: Letter, *, is_first: bool) -> ConversationLog:
    for attempt in range(2 if by.is_repeatable else 1):
        try:
            return _settled(row, by.carry(written))
        except DeliveryUncertain:
            continue
        except RootError:
            # After an attempt whose end nobody knows, a refusal says nothing about that one.
            if is_first and attempt == 0:
                _fail(row)
                raise
            break
    return _settled(row, None)


def _person(message: Outgoing) -> Principal | None:
    if message.slack_channel_id is not None:
        return None
    if message.slack_user_id is not None:
        return principals.by_slack(message.slack_user_id)
    person = principals.by_email(message.email or "")
    if person is None or not person.slack_user_id:
        raise NotFound(NO_BINDING)
    return person


def _left_open(message_id: UUID) -> ConversationLog | None:
    found: ConversationLog | None = ConversationLog.objects.filter(dedupe_key=_name(message_id)).first()
    return found


def _new_row(
    message: Outgoing, message_id: UUID, *, person: Principal | None, **columns: str
) -> ConversationLog:
    """There before anything is sent."""
    row: ConversationLog = ConversationLog.objects.create(
        dedupe_key=_name(message_id),
        principal=person,
        exchange_key=str(message_id),
        member_id=person.ref if person else columns["thread_key"].partition(":")[2],
        channel=message.channel,
        direction="outbound",
        source=SOURCE,
        status=SENDING,
        message_text=without_link_tokens(clean(message.text)),
        message_at=clock.now(),
        **columns,
    )
    return row


def _name(message_id: UUID) -> str:
    return f"{message_id}:out"


def _settled(row: ConversationLog, done: Delivered | None) -> ConversationLog:
    row.status = SENT if done else UNCERTAIN
    if done is not None:
        row.external_message_id = done.external_id
        row.slack_message_ts = done.external_id if row.channel == "slack" else ""
        row.metadata = {**row.metadata, "carrier": done.carrier}
    row.save(update_fields=["status", "external_message_id", "slack_message_ts", "metadata"])
    return row


def _fail(row: ConversationLog) -> None:
    row.status = FAILED
    row.save(update_fields=["status"])
