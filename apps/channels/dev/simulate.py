"""A Slack-style turn for somebody who is not in Slack at the moment (contract §8.5)."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from apps.agent.turns import MESSAGE_LIMIT, Caller, SlackPlace, TurnOutcome, TurnRequest, run_turn
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant

_SlackId = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^[A-Z][A-Z0-9]{1,40}$")]
_Timestamp = Annotated[str, StringConstraints(pattern=r"^\d{1,12}\.\d{1,8}$")]
_Name = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]


class SimulateBody(BaseModel):
    """One message as if posted in Slack; without a channel it is a direct message."""

    model_config = ConfigDict(frozen=True, strict=True)

    tenant: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    message: Annotated[str, StringConstraints(min_length=1, max_length=MESSAGE_LIMIT), Field(repr=False)]
    slack_user_id: _SlackId
    user_name: _Name | None = None
    channel_id: _SlackId | None = None
    thread_ts: _Timestamp | None = None

    @property
    def place(self) -> SlackPlace:
        # Everybody has a direct-message channel of their own, as in Slack.
        channel = self.channel_id or f"D{self.slack_user_id[1:]}"
        return SlackPlace(channel_id=channel, thread_ts=self.thread_ts)


def simulate(tenant: Tenant, body: SimulateBody) -> TurnOutcome:
    """Runs the turn. Blocks: call it in the turn pool."""
    place = body.place
    request = TurnRequest(
        message=body.message,
        channel="slack",
        caller=Caller(slack_user_id=body.slack_user_id, display_name=body.user_name or None),
        thread_key="_".join(part for part in (place.channel_id, place.thread_ts) if part),
        slack=place,
        source="simulated",
    )
    with tenant_context(tenant):
        return run_turn(request)
