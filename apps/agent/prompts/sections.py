"""What fills each slot of the master prompt (contract §4.5, §A.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from apps.agent.prompts import guidance
from apps.agent.prompts.audience import tier_guidance
from apps.agent.prompts.context import context_block
from apps.agent.prompts.facts import Channel, PromptFacts
from apps.agent.prompts.layers import Layer
from apps.agent.prompts.links import link_guidance
from apps.agent.prompts.parts import Parts
from apps.agent.prompts.values import WORDS, bot_user_id, guide_url
from apps.foundation.text import clean, one_line

FALLBACK_IDENTITY: Final = "You are an AI assistant for this community."
_CHAT_TEXTS: Final = {
    "identityAddendum": "slack.identity_addendum",
    "toolUsageAddendum": "chat.tool_usage_addendum",
    "formattingSection": "chat.markdown_formatting",
    "responseGuidelineAddendum": "chat.response_guideline_addendum",
    "policiesAddendum": "slack.policies_addendum",
}
CHANNEL_TEXTS: Final[Mapping[Channel, Mapping[str, str]]] = {
    "slack": {
        "identityAddendum": "slack.identity_addendum",
        "toolUsageAddendum": "slack.tool_usage_addendum",
        "formattingSection": "slack.formatting_section",
        "responseGuidelineAddendum": "slack.response_guideline_addendum",
        "policiesAddendum": "slack.policies_addendum",
    },
    "web": _CHAT_TEXTS,
    "api": _CHAT_TEXTS,
    "email": {
        "identityAddendum": "email.identity_addendum",
        "toolUsageAddendum": "email.tool_usage_addendum",
        "formattingSection": "email.formatting_section",
        "responseGuidelineAddendum": "email.response_guideline_addendum",
    },
}


def _persona(parts: Parts) -> list[Layer]:
    own = clean(parts.facts.persona).strip()
    name = one_line(parts.facts.agent_name, limit=80)
    text = own or FALLBACK_IDENTITY
    if name and name.casefold() not in text.casefold():
        text = f"{text} Your name is {name}."
    return [Layer(name="persona", origin="tenant" if own else "default", text=text)]


def _channel_text(slot: str) -> Callable[[Parts], list[Layer]]:
    def layers(parts: Parts) -> list[Layer]:
        key = CHANNEL_TEXTS[parts.facts.channel].get(slot)
        return parts.text(key) if key else []

    return layers


def _identity(parts: Parts) -> list[Layer]:
    key = CHANNEL_TEXTS[parts.facts.channel]["identityAddendum"]
    own_id = parts.text("slack.bot_mention_line") if _knows_own_mention(parts.facts) else []
    glued = "".join(f"\n{layer.text}" for layer in own_id)
    layers = parts.text(key, botMentionLine=glued)
    # A character takes the place of the tone, not of the fact which mention means the agent.
    return [*layers[:1], *own_id, *layers[1:]] if parts.facts.character.strip() else layers


def _knows_own_mention(facts: PromptFacts) -> bool:
    return facts.channel == "slack" and bool(bot_user_id(facts))


def _capabilities(parts: Parts) -> list[Layer]:
    said = (one_line(tool.capability, limit=240) for tool in parts.facts.tools)
    listed = "\n".join(f"- {line}" for line in dict.fromkeys(said) if line)
    return parts.text("shared.capabilities_section", origin="tools", capabilities=listed) if listed else []


def _knowledge_routing(parts: Parts) -> list[Layer]:
    text = guidance.knowledge_routing(
        parts.lines,
        tools=parts.facts.tool_names,
        guide_url=guide_url(parts.facts),
        follow_up_context=WORDS[parts.facts.channel].follow_up_context,
    )
    return parts.chosen("knowledge routing", text)


def _request_tools(parts: Parts) -> list[Layer]:
    facts = parts.facts
    text = guidance.request_tools(
        parts.lines, tools=facts.tool_names, confirms_success=facts.confirms_requests
    )
    return parts.chosen("request tools", text)


def _preference_tools(parts: Parts) -> list[Layer]:
    text = guidance.preference_tools(parts.lines, tools=parts.facts.tool_names)
    return parts.chosen("preference tools", text)


def _messaging(parts: Parts) -> list[Layer]:
    facts, tools = parts.facts, parts.facts.tool_names
    restriction = guidance.messaging_restriction(parts.lines, tools=tools, is_admin=facts.is_admin)
    offer = guidance.community_conversation(
        parts.lines, tools=tools, is_dm=facts.channel == "slack" and facts.is_dm
    )
    return [
        *parts.chosen("messaging restriction", restriction),
        *parts.chosen("community conversation", offer),
    ]


def _setting(parts: Parts) -> list[Layer]:
    if parts.facts.channel != "slack":
        return []
    return parts.text("slack.dm_context_block" if parts.facts.is_dm else "slack.channel_context_block")


def _footer(parts: Parts) -> list[Layer]:
    return parts.text("slack.footer", origin="person")


SLOTS: Final[Mapping[str, Callable[[Parts], list[Layer]]]] = {
    "personaIdentity": _persona,
    "identityAddendum": _identity,
    "contextBlock": context_block,
    "capabilitiesSection": _capabilities,
    "knowledgeRoutingGuidance": _knowledge_routing,
    "requestToolGuidance": _request_tools,
    "preferenceToolGuidance": _preference_tools,
    "toolUsageAddendum": _channel_text("toolUsageAddendum"),
    "messagingRestrictionGuidance": _messaging,
    "unresolvedGuidance": tier_guidance,
    "rootLinkGuidance": link_guidance,
    "formattingSection": _channel_text("formattingSection"),
    "responseGuidelineAddendum": _channel_text("responseGuidelineAddendum"),
    "channelContextBlock": _setting,
    "policiesAddendum": _channel_text("policiesAddendum"),
    "footer": _footer,
}
