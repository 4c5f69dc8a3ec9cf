"""Everything a prompt depends on, as plain values (contract §4.5)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Literal
from zoneinfo import ZoneInfo

Channel = Literal["slack", "web", "api", "email"]
# available: links are issued here · failed: the service is down · not_private: others read along ·
# unresolved: nobody to issue them for · none: this community has no links.
LinkState = Literal["available", "failed", "not_private", "unresolved", "none"]


@dataclass(frozen=True, kw_only=True)
class ToolFact:
    """A tool at hand, and in one line what it lets the agent do."""

    name: str
    capability: str = ""


@dataclass(frozen=True, kw_only=True)
class PageFact:
    """A secure web page of the community, as its manifest lists it."""

    path: str
    title: str = ""
    summary: str = ""


@dataclass(frozen=True, kw_only=True)
class AccountFact:
    """The account for which an email acts."""

    name: str
    email: str
    role: str = ""
    profile: str = ""
    is_member: bool = True


@dataclass(frozen=True, kw_only=True)
class MailFact:
    """Who wrote an email, for whom, and who else reads the thread."""

    sender_name: str
    sender_email: str
    delegation_reason: str = ""
    participants: tuple[str, ...] = ()
    account: AccountFact | None = None


@dataclass(frozen=True, kw_only=True)
class PromptFacts:
    """One turn, as far as its prompt goes. People and backends may have written any of the strings."""

    channel: Channel
    tier: str
    now: datetime
    timezone: str = "UTC"
    is_admin: bool = False
    default_tier: str = "member"
    user_name: str = ""
    agent_name: str = ""
    persona: str = ""
    character: str = ""
    community_context: str = ""
    tools: tuple[ToolFact, ...] = ()
    manifest_sections: tuple[str, ...] = ()
    pages: tuple[PageFact, ...] = ()
    public_guide_url: str = ""
    link_state: LinkState = "none"
    bot_user_id: str = ""
    is_dm: bool = False
    mail: MailFact | None = None
    preferences: tuple[str, ...] = ()
    memory: str = ""
    confirms_requests: bool = True

    @property
    def tool_names(self) -> frozenset[str]:
        return frozenset(tool.name for tool in self.tools)

    @property
    def zone(self) -> tzinfo:
        """The community's zone; UTC where its name is none."""
        try:
            return ZoneInfo(self.timezone)
        except (ValueError, LookupError, OSError):
            return UTC

    @property
    def local_now(self) -> datetime:
        """The moment of the turn on the community's clocks."""
        moment = self.now if self.now.tzinfo else self.now.replace(tzinfo=UTC)
        return moment.astimezone(self.zone)
