"""One turn for every kind of channel, tier and state of the links; run as a module it writes the golden files anew.

Read the difference it makes like a change of code: each line is something a model is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from apps.agent.prompts.assemble import render_prompt
from apps.agent.prompts.facts import AccountFact, LinkState, PromptFacts, ToolFact
from apps.agent.tools.gating import core_tools_for
from tests.agent.prompts.cast import facts, mail

GOLDEN = Path(__file__).parent / "golden"
SLACK_DM_ONLY = {
    "save_knowledge_entry": "Saves a page you write together with its author",
    "find_channel_for_community_post": "Finds the public channel a topic belongs in",
    "start_community_conversation": "Opens a conversation in a public channel for somebody",
}
CORE = {
    "search_knowledge_base": "Searches the community's own knowledge base",
    "get_knowledge_page_link": "Gives the link to a page of the knowledge base",
    "search_slack_messages": "Searches what was said in public Slack channels",
    "who_knows": "Finds who knows about a topic",
    "search_current_events": "Looks up what is going on in the world now",
    **SLACK_DM_ONLY,
    "remember_user_preference": "Saves a lasting preference",
    "list_user_preferences": "Lists saved preferences",
    "forget_user_preference": "Forgets one saved preference",
    "set_dm_reply_style": "Sets how replies arrive in direct messages",
    "set_auto_reply_preference": "Sets when you may answer unasked",
    "create_follow_up": "Sends its creator a private message later",
    "request_human_intervention": "Logs a request that people carry out",
    "list_my_human_interventions": "Lists the requests somebody logged",
    "cancel_human_intervention": "Cancels a logged request",
    "escalate_to_admin": "Passes something to the team",
}
BACKEND = {
    "search_members": "Finds people of the community",
    "search_companies": "Finds companies of the community",
}
STATES: dict[str, dict[str, tuple[LinkState, ...]]] = {
    "slack_dm": {
        **dict.fromkeys(("member", "admin", "limited"), ("available", "failed", "none")),
        "unresolved": ("unresolved",),
    },
    "slack_channel": {
        **dict.fromkeys(("member", "admin", "limited"), ("not_private", "none")),
        "unresolved": ("not_private",),
    },
    "email": {
        **dict.fromkeys(("member", "admin", "limited"), ("available", "failed", "none")),
        "public": ("unresolved", "none"),
    },
    **{
        # Nobody is an administrator there.
        channel: {
            **dict.fromkeys(("member", "limited"), ("available", "failed", "none")),
            **dict.fromkeys(("unresolved", "public"), ("unresolved",)),
        }
        for channel in ("web", "api")
    },
}
TIERS = {
    "member": "member",
    "admin": "member",
    "limited": "partner",
    "unresolved": "unresolved",
    "public": "public",
}


@dataclass(frozen=True)
class Case:
    """A kind of turn."""

    channel: str
    tier: str
    links: LinkState

    @property
    def name(self) -> str:
        return f"{self.channel}-{self.tier}-{self.links}"

    @property
    def file(self) -> Path:
        return GOLDEN / f"{self.name}.txt"

    def rendered(self) -> str:
        return render_prompt(self.facts()) + "\n"

    def facts(self) -> PromptFacts:
        changes: dict[str, Any] = {
            "channel": self.channel.partition("_")[0],
            "tier": TIERS[self.tier],
            "is_admin": self.tier == "admin",
            "is_dm": self.channel == "slack_dm",
            "link_state": self.links,
            "tools": tuple(self._tools()),
        }
        if self.links == "none":
            changes |= {"pages": ()}
        if self.tier in {"unresolved", "public"}:
            changes |= {"preferences": (), "memory": "", "manifest_sections": (), "user_name": "Sam"}
        else:
            changes["preferences"] = (
                'says "the barn", means "Hall 4" (The barn is Hall 4.)',
                "Keep it short.",
            )
        if self.channel == "email":
            changes["mail"] = MAILS[self.tier]
            changes["user_name"] = MAILS[self.tier].sender_name
        return facts(**changes)

    def _tools(self) -> Iterator[ToolFact]:
        allowed = core_tools_for(TIERS[self.tier], core=CORE, declared=())
        for name, capability in CORE.items():
            if name in allowed and (name not in SLACK_DM_ONLY or self.channel == "slack_dm"):
                yield ToolFact(name=name, capability=capability)
        if self.tier in {"member", "admin"}:
            yield from (ToolFact(name=name, capability=said) for name, said in BACKEND.items())


DANA = AccountFact(name="Dana", email="dana@harbour.example", role="member", profile="Restores a cutter.")
MAILS = {
    "member": mail(
        sender_name="Dana", sender_email="dana@harbour.example", delegation_reason="", account=DANA
    ),
    "admin": mail(account=DANA),
    "limited": mail(
        sender_name="Maria Mentor",
        sender_email="maria@m.example",
        delegation_reason="",
        participants=(),
        account=AccountFact(
            name="Maria Mentor", email="maria@m.example", role="visiting host", is_member=False
        ),
    ),
    "public": mail(
        sender_name="Sam", sender_email="sam@elsewhere.example", delegation_reason="", account=None
    ),
}
CASES = tuple(
    Case(channel, tier, links)
    for channel, tiers in STATES.items()
    for tier, states in tiers.items()
    for links in states
)


def write_all() -> None:
    """Makes the folder what the cases say."""
    GOLDEN.mkdir(exist_ok=True)
    for stale in set(GOLDEN.glob("*.txt")) - {case.file for case in CASES}:
        stale.unlink()
    for case in CASES:
        case.file.write_text(case.rendered(), encoding="utf-8")


if __name__ == "__main__":
    write_all()
