"""The short values set into the texts: who, where, when (contract §4.5)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from apps.agent.prompts.facts import Channel, PromptFacts
from apps.foundation.text import one_line

_SLACK_ID: Final = re.compile(r"[A-Z0-9]{2,32}")
_WEB_ADDRESS: Final = re.compile(r"https?://[^\s<>\"]{1,1000}")


@dataclass(frozen=True, kw_only=True)
class ChannelWords:
    """What a channel calls the things of a conversation."""

    message: str
    immediate_context: str
    follow_up_context: str


_CHAT: Final = ChannelWords(
    message="message", immediate_context="current conversation", follow_up_context="current conversation"
)
WORDS: Final[dict[Channel, ChannelWords]] = {
    "slack": ChannelWords(
        message="message",
        immediate_context="current Slack thread",
        follow_up_context="current Slack thread context",
    ),
    "email": ChannelWords(
        message="email", immediate_context="current email thread", follow_up_context="current email thread"
    ),
    "web": _CHAT,
    "api": ChannelWords(
        message="request",
        immediate_context=_CHAT.immediate_context,
        follow_up_context=_CHAT.follow_up_context,
    ),
}


def short_values(facts: PromptFacts) -> dict[str, str]:
    """Values by placeholder; each is one line, and none can pose as structure."""
    words = WORDS[facts.channel]
    moment = facts.local_now
    return {
        "messageNoun": words.message,
        "immediateContextDescription": words.immediate_context,
        "currentDateTime": spoken_moment(moment),
        "timezoneName": getattr(facts.zone, "key", "UTC"),
        "timezoneAbbr": moment.strftime("%Z"),
        "userName": named_with_tier(facts),
        "tier": one_line(facts.tier, limit=64),
        "botUserId": bot_user_id(facts),
        "aiAssistantName": one_line(facts.agent_name, limit=80) or "your AI assistant",
        "rootGuideUrl": guide_url(facts),
    }


def spoken_moment(moment: datetime) -> str:
    """A date and time as people read it, with its zone: Monday, March 2, 2026, 9:05 AM PST (…)."""
    clock = moment.strftime("%I:%M %p").lstrip("0")
    offset = moment.strftime("%z")
    zone = f"{getattr(moment.tzinfo, 'key', 'UTC')}, UTC{offset[:3]}:{offset[3:5]}"
    return f"{moment:%A, %B} {moment.day}, {moment.year}, {clock} {moment:%Z} ({zone})"


def named_with_tier(facts: PromptFacts) -> str:
    """For whom the reply is: name and tier, or nothing without a name."""
    name = one_line(facts.user_name, limit=120)
    tier = one_line(facts.tier, limit=64)
    return f"{name} ({tier})" if name and tier else name


def bot_user_id(facts: PromptFacts) -> str:
    """The agent's own Slack id, if it has the form of one."""
    return facts.bot_user_id if _SLACK_ID.fullmatch(facts.bot_user_id) else ""


def guide_url(facts: PromptFacts) -> str:
    """The public guide, if the manifest gives a web address."""
    offered = facts.public_guide_url.strip()
    return one_line(offered, limit=1100) if _WEB_ADDRESS.fullmatch(offered) else ""
