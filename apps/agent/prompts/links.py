"""What the agent may say about secure web pages, by channel and state of the link service (contract §A.4)."""

from __future__ import annotations

from typing import Final

from apps.agent.prompts import guidance
from apps.agent.prompts.facts import Channel, LinkState, PageFact
from apps.agent.prompts.layers import Layer
from apps.agent.prompts.parts import Parts
from apps.agent.prompts.render import render
from apps.foundation.text import one_line

_CHAT: Final[dict[LinkState, str]] = {
    "available": "chat.root_link_guidance_available",
    "failed": "chat.root_link_guidance_issuance_failed",
}
TEMPLATES: Final[dict[Channel, dict[LinkState, str]]] = {
    "slack": {
        "available": "slack.root_link_guidance_available",
        "failed": "slack.root_link_guidance_issuance_failed",
        "not_private": "slack.root_link_guidance_public_channel",
    },
    "email": {
        "available": "email.root_portal_guidance_available",
        "failed": "email.root_portal_guidance_issuance_failed",
        "unresolved": "email.root_portal_guidance_unresolved_member",
    },
    "web": _CHAT,
    "api": _CHAT,
}


def link_guidance(parts: Parts) -> list[Layer]:
    """The template for this channel and state; without pages only the lines on knowledge links."""
    facts = parts.facts
    listed = "\n".join(filter(None, map(_bullet, facts.pages)))
    key = TEMPLATES[facts.channel].get(facts.link_state)
    if listed and key:
        return parts.text(key, rootWebCapabilities=listed, publicGuideFallbackSentence=_fallback(parts))
    lines = guidance.knowledge_links(parts.lines, tools=facts.tool_names, link_state=facts.link_state)
    return parts.chosen("knowledge links", lines)


def _bullet(page: PageFact) -> str:
    path = one_line(page.path, limit=500)
    words = [one_line(page.title, limit=120), one_line(page.summary, limit=400)]
    said = ": ".join(filter(None, words))
    return (f"- {path} ({said})" if said else f"- {path}") if path else ""


def _fallback(parts: Parts) -> str:
    """Set between two sentences: brings its own leading space, or leaves nothing."""
    if not parts.values["rootGuideUrl"]:
        return ""
    return " " + render(parts.wording.default("shared.public_guide_fallback"), parts.values)
