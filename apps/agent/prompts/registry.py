"""Every prompt key: its group, what it is for and what it may ask for (contract §4.5, §A)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from apps.agent.prompts.render import placeholders
from apps.foundation.errors import NotFound

Group = Literal["core", "chat", "email", "audience", "links", "internal"]
GROUPS: Final[tuple[Group, ...]] = ("core", "chat", "email", "audience", "links", "internal")
TEXTS: Final = Path(__file__).parent / "texts"

BASE: Final = "shared.system.base"
# Where a community's own character takes the place of the built-in tone.
CHARACTER_KEYS: Final = frozenset({"slack.identity_addendum", "email.identity_addendum"})

_DESCRIPTIONS: Final[dict[Group, dict[str, str]]] = {
    "core": {
        BASE: "The master prompt of every channel; all other texts are set into it.",
        "shared.community_context": "Heads what the community says about itself.",
        "shared.capabilities_section": "Heads the list of what the tools at hand can do.",
        "shared.saved_preferences": "Heads the preferences a person had saved.",
        "shared.conversation_memory": "Heads the summary of earlier conversations with a person.",
    },
    "chat": {
        "slack.identity_addendum": "Tone and voice in Slack and web chat; a custom character replaces it.",
        "slack.bot_mention_line": "Tells the agent its own Slack id, when that is known.",
        "slack.tool_usage_addendum": "Slack: where things happen, follow-ups, fresh links.",
        "slack.formatting_section": "Slack: how messages are written.",
        "slack.response_guideline_addendum": "Slack: speakers, restraint, citations, pings, private links.",
        "slack.channel_context_block": "Slack channels and threads: background and what is addressed.",
        "slack.dm_context_block": "Slack direct messages: this is the private place.",
        "slack.policies_addendum": "Policies of the community; empty until it adds its own.",
        "slack.footer": "The last line: whom the reply is for.",
        "chat.tool_usage_addendum": "Web chat and API: where things happen, follow-ups, fresh links.",
        "chat.markdown_formatting": "Web chat and API: answers are Markdown.",
        "chat.response_guideline_addendum": "Web chat and API: citations, attribution, order of an answer.",
    },
    "email": {
        "email.identity_addendum": "Tone and sign-off in email; a custom character takes its place.",
        "email.context_block": "Who wrote, for whom the tools act, and what that means for the reply.",
        "email.sender_context_block": "The same for a sender behind whom no account stands.",
        "email.non_member_mentor_addendum": "The resolved account belongs to an outside collaborator.",
        "email.tool_usage_addendum": "Email: time zone and links.",
        "email.formatting_section": "Email: how replies are written.",
        "email.response_guideline_addendum": "Email: failed tools.",
    },
    "audience": {
        "slack.unresolved_guidance": "The Slack account matches nobody known.",
        "chat.unresolved_guidance": "The same where the person is not met in Slack.",
        "shared.public_tier_guidance": "Somebody from the public, on any channel.",
        "shared.limited_tier_guidance": "Somebody on another tier of the community's own.",
    },
    "links": {
        "slack.root_link_guidance_available": "Slack: personal links work.",
        "slack.root_link_guidance_issuance_failed": "Slack: personal links cannot be issued now.",
        "slack.root_link_guidance_public_channel": "Slack, outside a direct message: no personal links.",
        "chat.root_link_guidance_available": "Web chat and API: personal links work.",
        "chat.root_link_guidance_issuance_failed": "Web chat and API: personal links cannot be issued now.",
        "email.root_portal_guidance_available": "Email: personal links work.",
        "email.root_portal_guidance_issuance_failed": "Email: personal links cannot be issued now.",
        "email.root_portal_guidance_unresolved_member": "Email: the sender matches no account.",
        "shared.public_guide_fallback": "The sentence that points to the public guide where links fail.",
    },
    "internal": {
        "slack.thread_intent.system": "Sorts a direct message before the agent runs.",
        "slack.confidence_eval.system": "Judges a drafted reply.",
        "slack.low_confidence_repair.suffix": "Has a doubtful reply rewritten.",
        "email.mentor_intent_classifier_system": "Asks whether an owner's email acts for somebody else.",
        "email.authorization_gate_system": "Decides whether an email may make a tool act.",
    },
}


class UnknownPrompt(NotFound):
    """No prompt has this key."""

    code = "unknown_prompt"


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """One key of the playbook with its built-in text."""

    key: str
    group: Group
    description: str
    default: str
    placeholders: frozenset[str]


def prompt(key: str) -> Prompt:
    """The prompt with this key; raises :class:`UnknownPrompt`."""
    found = prompts().get(key)
    if found is None:
        raise UnknownPrompt("There is no prompt with this key.")
    return found


@cache
def prompts() -> Mapping[str, Prompt]:
    """All prompts by key, in the order in which they are listed; read from disk once."""
    return MappingProxyType({entry.key: entry for entry in _read()})


def _read() -> Iterator[Prompt]:
    for group, descriptions in _DESCRIPTIONS.items():
        for key, description in descriptions.items():
            default = (TEXTS / f"{key}.txt").read_text(encoding="utf-8").strip("\n")
            yield Prompt(
                key=key,
                group=group,
                description=description,
                default=default,
                placeholders=placeholders(default),
            )
