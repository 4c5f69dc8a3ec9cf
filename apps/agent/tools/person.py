"""The person and place a surface is built for."""

from __future__ import annotations

from dataclasses import dataclass, field

from apps.agent.tools.declaration import Channel
from apps.integrations.identity import ResolvedPerson
from apps.knowledge.audience import Audience
from apps.tenancy.tiers import is_reserved


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPerson:
    """Who asks, on which channel, and what of the community's knowledge is theirs to see."""

    person: ResolvedPerson
    tier: str
    is_admin: bool
    channel: Channel
    audience: Audience
    message: str = field(repr=False)
    slack_channel_id: str | None = None
    thread_ts: str | None = None

    @property
    def is_recognized(self) -> bool:
        """Somebody with a record whom a backend or the channel vouches for."""
        return self.person.principal is not None and not is_reserved(self.tier)

    @property
    def in_private_dm(self) -> bool:
        """Slack gives direct messages channel ids that start with D."""
        return bool(self.slack_channel_id and self.slack_channel_id.startswith("D"))
