"""What an event leaves open, found out from Slack where the community is connected to it (contract §8.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from apps.foundation.ttl_cache import TtlCache
from apps.integrations.slack import directory, history
from apps.integrations.slack.client import is_connected
from apps.integrations.slack.failure import SlackFailure
from apps.integrations.slack.permalinks import permalink_of
from apps.knowledge.models import ProcessedSlackMessage
from apps.knowledge.slack_index.message import SlackMessage
from apps.tenancy.context import current_tenant_id

Json = dict[str, Any]
# A parent that nobody can index (a bot's, a short one) is not asked for with each reply.
PARENT_SECONDS: Final = 3600.0
_asked_parents: TtlCache[tuple[UUID, str, str], bool] = TtlCache(PARENT_SECONDS, 20_000)


@dataclass(frozen=True, kw_only=True)
class Lookup:
    """``connected``: Slack may be asked. ``recorded``: whoever hands in the messages vouches for their channels."""

    connected: bool
    recorded: bool = False

    @classmethod
    def here(cls, *, recorded: bool = False) -> Lookup:
        """As the current community allows."""
        return cls(connected=is_connected(), recorded=recorded)

    def is_public(self, said: Json) -> bool:
        """Slack's own word with the event, or asked for; without either the channel counts as closed."""
        if said["channel_type"]:
            return bool(said["channel_type"] == "channel")
        found = directory.channel(said["channel"]) if self.connected else None
        return found.is_public if found is not None else self.recorded

    def author(self, said: Json) -> str | None:
        """What the person is called; None for bots. An app may speak for a person whom Slack knows as one."""
        if said["user"] is None:
            return None
        through_app = bool(said["bot_id"] or said["app_id"])
        found = directory.user(said["user"]) if self.connected else None
        if found is None:
            return None if through_app else said["user_name"] or said["user"]
        return None if found.is_bot else said["user_name"] or found.name

    def channel_name(self, said: Json) -> str | None:
        if said["channel_name"] or not self.connected:
            return said["channel_name"] or None
        return directory.channel_names([said["channel"]]).get(said["channel"])

    def permalink(self, said: Json) -> str | None:
        if said["permalink"] or not self.connected:
            return said["permalink"] or None
        return permalink_of(said["channel"], said["ts"], thread_ts=said["thread_ts"])

    def users(self, ids: Iterable[str]) -> Mapping[str, str]:
        return directory.user_names(ids) if self.connected else {}

    def channels(self, ids: Iterable[str]) -> Mapping[str, str]:
        return directory.channel_names(ids) if self.connected else {}

    def missing_parent(self, message: SlackMessage) -> Json | None:
        """The message a reply's thread began with, when the index lacks it; None when it cannot be had."""
        if not message.is_reply or message.thread_ts is None or not self.connected:
            return None
        key = (current_tenant_id(), message.channel_id, message.thread_ts)
        known = ProcessedSlackMessage.objects.filter(
            channel_id=message.channel_id, message_ts=message.thread_ts
        )
        if _asked_parents.get(key) or known.exists():
            return None
        _asked_parents.put(key, True)
        try:
            return history.one_message(message.channel_id, message.thread_ts)
        except SlackFailure:
            return None
