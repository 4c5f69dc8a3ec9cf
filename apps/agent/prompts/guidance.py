"""Guidance that depends on the tools at hand, line by line (contract §A.7)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final, get_args

from apps.agent.prompts.facts import LinkState
from apps.agent.prompts.registry import TEXTS

BUILDERS: Final = (
    "knowledge_routing",
    "request_tools",
    "preference_tools",
    "messaging_restriction",
    "community_conversation",
    "knowledge_links",
)
COMMUNITY_POST_TOOLS: Final = frozenset({"find_channel_for_community_post", "start_community_conversation"})
# Canonical name first: where an old installation still declares its own, that one answers.
_REQUEST_TOOLS: Final = {
    "create": ("request_human_intervention", "create_fulfillment_request"),
    "list": ("list_my_human_interventions", "list_my_fulfillment_requests"),
    "delete": ("cancel_human_intervention", "delete_my_fulfillment_request"),
}
# What a line of each builder may ask about besides tools, and the names it may have filled in.
FACTS: Final[Mapping[str, frozenset[str]]] = {
    "knowledge_routing": frozenset({"@guide_url"}),
    "request_tools": frozenset({"@create", "@list", "@delete", "@confirms_success"}),
    "preference_tools": frozenset(),
    "messaging_restriction": frozenset({"@admin", "@community_conversation"}),
    "community_conversation": frozenset({"@dm"}),
    "knowledge_links": frozenset(f"@links_{state}" for state in get_args(LinkState)),
}
NAMES: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(BUILDERS, frozenset()),
    "knowledge_routing": frozenset({"DIRECTORY", "rootGuideUrl", "followUpContextLabel"}),
    "request_tools": frozenset(_REQUEST_TOOLS),
}
_WHEN: Final = re.compile(r"(?:!?@?\w+(?:\|!?@?\w+)*(?: |$))*")
_NAME: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class GuidanceLine:
    """One line and when it is in.

    ``when`` lists terms that must all hold: a tool's name, ``a|b`` for either, ``!a`` for absent, and
    ``@fact`` for what is no tool. Empty means always.
    """

    id: str
    when: str
    text: str

    def __post_init__(self) -> None:
        if not _WHEN.fullmatch(self.when):
            raise ValueError(f"line {self.id}: cannot read the condition {self.when!r}")

    def holds(self, present: frozenset[str]) -> bool:
        """Is this line in, given the tools at hand and the ``@facts`` that are true?"""
        return all(_holds(term, present) for term in self.when.split())


Lines = Mapping[str, tuple[GuidanceLine, ...]]


@cache
def built_in_lines() -> Lines:
    """Every builder's lines, in order; read from disk once."""
    return MappingProxyType({builder: _read(builder) for builder in BUILDERS})


def knowledge_routing(lines: Lines, *, tools: frozenset[str], guide_url: str, follow_up_context: str) -> str:
    """Which source answers what."""
    directory = "search_members"
    if "search_companies" in tools:
        directory += " (plus search_companies where the company may itself belong to the community)"
    names = {"DIRECTORY": directory, "rootGuideUrl": guide_url, "followUpContextLabel": follow_up_context}
    return _build(
        lines["knowledge_routing"], tools=tools, facts=_true(guide_url=bool(guide_url)), names=names
    )


def request_tools(lines: Lines, *, tools: frozenset[str], confirms_success: bool) -> str:
    """How requests that people carry out are logged, listed and deleted."""
    names = {verb: _first(candidates, tools) for verb, candidates in _REQUEST_TOOLS.items()}
    facts = _true(confirms_success=confirms_success) | {f"@{verb}" for verb, name in names.items() if name}
    return _build(lines["request_tools"], tools=tools, facts=facts, names=names)


def preference_tools(lines: Lines, *, tools: frozenset[str]) -> str:
    """How preferences are saved, listed and forgotten."""
    return _build(lines["preference_tools"], tools=tools)


def messaging_restriction(lines: Lines, *, tools: frozenset[str], is_admin: bool) -> str:
    """What a non-admin cannot have sent; nothing for admins."""
    facts = _true(admin=is_admin, community_conversation=tools >= COMMUNITY_POST_TOOLS)
    return _build(lines["messaging_restriction"], tools=tools, facts=facts)


def community_conversation(lines: Lines, *, tools: frozenset[str], is_dm: bool) -> str:
    """How a topic of a direct message goes to a public channel."""
    return _build(lines["community_conversation"], tools=tools, facts=_true(dm=is_dm))


def knowledge_links(lines: Lines, *, tools: frozenset[str], link_state: str) -> str:
    """Links to knowledge pages, where no secure pages are listed."""
    return _build(lines["knowledge_links"], tools=tools, facts=frozenset({f"@links_{link_state}"}))


def _build(
    lines: Iterable[GuidanceLine],
    *,
    tools: frozenset[str],
    facts: frozenset[str] = frozenset(),
    names: Mapping[str, str] = MappingProxyType({}),
) -> str:
    # A backend could call a tool "@admin"; only we say what is a fact.
    present = frozenset(tool for tool in tools if not tool.startswith("@")) | facts
    return "\n".join(_named(line.text, names) for line in lines if line.holds(present))


def _named(text: str, names: Mapping[str, str]) -> str:
    return _NAME.sub(lambda found: names.get(found[1], found.group()), text)


def _holds(term: str, present: frozenset[str]) -> bool:
    return any((name[1:] not in present) if name[0] == "!" else name in present for name in term.split("|"))


def _true(**facts: bool) -> frozenset[str]:
    return frozenset(f"@{name}" for name, holds in facts.items() if holds)


def _first(candidates: Iterable[str], tools: frozenset[str]) -> str:
    return next((name for name in candidates if name in tools), "")


def _read(builder: str) -> tuple[GuidanceLine, ...]:
    stored = tomllib.loads((TEXTS / "lines" / f"{builder}.toml").read_text(encoding="utf-8"))
    return tuple(GuidanceLine(entry["id"], entry["when"], entry["text"]) for entry in stored["line"])
