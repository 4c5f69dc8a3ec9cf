"""What gives an injection away: one row a kind, each with its pattern and its cure (contract §4.3).

``hints`` are folded substrings, one of which must be there before the pattern is tried at all: most text is
innocent, and looking for a substring costs next to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_QUOTE_BEGINS, _QUOTE_ENDS = "[quoted: “", "”]"
Disarm = Callable[[re.Match[str]], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """One kind. ``noted`` false means its form is common enough in honest text to be changed in silence."""

    kind: str
    pattern: re.Pattern[str]
    disarm: Disarm
    hints: frozenset[str]
    noted: bool = True


def _other_brackets(found: re.Match[str]) -> str:
    return found.group().replace("<", "‹").replace(">", "›").replace("[", "⟨").replace("]", "⟩")


def _quoted_label(found: re.Match[str]) -> str:
    return f"{found['lead']}“{found['label']}”:"


def _quoted(found: re.Match[str]) -> str:
    text, start, end = found.string, found.start(), found.end()
    # What is quoted already is not quoted again; only words that look quoted are.
    if text.endswith(_QUOTE_BEGINS, 0, start) and text.startswith(_QUOTE_ENDS, end):
        return found.group()
    return f"{_QUOTE_BEGINS}{found.group()}{_QUOTE_ENDS}"


def _form(kind: str, *alternatives: str, hints: set[str]) -> Marker:
    """Something that looks like structure: it keeps its words and loses its brackets."""
    pattern = re.compile("|".join(alternatives), re.IGNORECASE)
    return Marker(kind=kind, pattern=pattern, disarm=_other_brackets, hints=frozenset(hints))


def _order(kind: str, *alternatives: str, hints: set[str]) -> Marker:
    """Words that order a model about."""
    pattern = re.compile(rf"\b(?:{'|'.join(alternatives)})", re.IGNORECASE)
    return Marker(kind=kind, pattern=pattern, disarm=_quoted, hints=frozenset(hints))


_SOME = r"[^.!?\n]"
_ROLES = r"(?:system|assistant|developer|human|user|tool)"
_TOOLS = (
    r"(?:tool_calls?|function_calls?|invoke|tool_use|tool_code|tool_results?|tool_response|function_results?"
    r"|function(?==))"
)
_WHOSE = (
    r"(?:all|any|every|each|the|your|my|our|this|that|these|those|previous|prior|above|earlier|preceding"
    r"|following|foregoing|existing|original|initial|system|safety|everything|whatever|what)"
)
_WHAT = (
    r"(?:instructions?|prompts?|rules?|directions?|directives?|commands?|guidelines?|orders?|programming"
    r"|training|constraints?|restrictions?|safeguards?|filters?|polic(?:y|ies)|system message"
    r"|said (?:above|before))"
)
_NAMES = r"(?:DAN|STAN|DUDE|AIM|JailBreak|DevMode)"

MARKERS: Final[tuple[Marker, ...]] = (
    _form(
        "template_token",
        r"<[|｜][^<>\n]{1,60}[|｜]>",
        r"</?(?:start|end)_of_turn>",
        r"\[/?(?:INST|SYS|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\]",
        r"<</?SYS>>",
        hints={"<|", "<｜", "_of_turn>", "[inst", "[/inst", "<<", "<</", "[sys", "[tool_", "[available_"},
    ),
    _form("tool_syntax", rf"</?\s*(?:antml:)?{_TOOLS}\b[^<>]{{0,300}}>", hints={"<"}),
    _form(
        "role_tag",
        rf"</?\s*(?:{_ROLES}|message|instructions?)(?:[-_][\w-]{{1,40}})?(?:\s[^<>]{{0,200}})?/?>",
        r"\[\s*/?(?:system|assistant|developer)(?:[ _][\w ]{1,24})?\s*\](?:\(#[^)\n]{0,60}\))?",
        hints={"<", "[system", "[assistant", "[developer", "[/system", "[ system"},
    ),
    Marker(
        kind="role_label",
        pattern=re.compile(
            r"^(?P<lead>[ \t]*(?:#{1,6}[ \t]*|\*\*|>[ \t]*)?)"
            rf"(?P<label>(?:{_ROLES}|ai)(?: (?:prompt|message|instructions?|note|override|update))?)"
            r"(?:\*\*)?[ \t]?:",
            re.IGNORECASE | re.MULTILINE,
        ),
        disarm=_quoted_label,
        hints=frozenset({":"}),
        noted=False,
    ),
    _order(
        "override",
        r"(?:ignore|disregard|forget|override|bypass|neglect|overlook|set aside|stop following"
        r"|(?:do not|don't|don’t|no longer) (?:follow|obey|listen to))"
        rf"\b{_SOME}{{0,40}}?\b{_WHOSE}\b{_SOME}{{0,40}}?\b{_WHAT}\b",
        r"(?:stop|forget|disregard|ignore) everything\b(?: (?:above|before|you (?:know|were told)|else))?",
        r"(?:new|updated|revised|real|hidden|secret|overriding) (?:system )?"
        r"(?:instructions?|prompts?|directives?|orders)\s*:",
        r"(?:your|the) (?:previous|prior|earlier|original|old) (?:instructions?|prompts?) (?:are|is|no longer)\b",
        r"from now on,? you (?:are|will|must|have to|should|shall)\b",
        r"you are (?:now|no longer|about to (?:become|immerse))\b"
        rf"(?={_SOME}{{0,80}}\b(?:an?|the|bound|named|called|in|dan|ai|model|bot|assistant|mode)\b)",
        hints={
            *("ignore", "disregard", "forget", "override", "bypass", "neglect", "overlook", "set aside"),
            *(
                "follow",
                "obey",
                "listen to",
                "stop everything",
                "instruction",
                "prompt",
                "directive",
                "orders:",
            ),
            *("from now on", "you are now", "you are no longer", "you are about"),
        },
    ),
    _order(
        "persona",
        r"do anything now\b",
        rf"(?:act|behave|respond|answer|speak|reply|pretend|simulate|role-?play|play)\b{_SOME}{{0,40}}\b"
        rf"(?:as|like|to be|being|the role of|role of)\b{_SOME}{{0,60}}\b"
        rf"(?:{_NAMES}|another (?:AI|artificial)|an? (?:AI|chatbot|language model|evil|unfiltered|unrestricted"
        r"|amoral)|developer mode|chatgpt)\b",
        rf"(?:named|called|known as|become) [\"“']?{_NAMES}\b",
        r"(?:developer|dan|debug|god|admin|jailbreak) mode (?:enabled|on|activated|output|unlocked)\b",
        r"jailbr(?:oken|eaks?|eaking)\b(?=[^.\n]{0,60}\b(?:gpt|ai|chatbot|mode|prompt|you|bot)\b)",
        r"stay(?:ing)? in character\b",
        r"break(?:ing)? (?:of )?character\b",
        r"(?:an? )?(?:unfiltered|uncensored|unrestricted|amoral)"
        r"[^.\n]{0,30}\b(?:ai|chatbot|bot|assistant|model|gpt)\b",
        r"(?:typical|all) (?:confines|limitations?|limits) of (?:an? )?(?:ai|language models?)\b",
        r"(?:without|no|any|have no|free of) (?:\w+ ){0,2}(?:ethical|moral)\b[^.\n]{0,40}\b"
        r"(?:guidelines?|restrictions?|considerations?|limits?|principles?)\b",
        hints={
            *("anything now", " mode ", "jailbr", "in character", "break character", "of character", "moral"),
            *(
                "ethical",
                "unfiltered",
                "uncensored",
                "unrestricted",
                "an ai",
                "another ai",
                "another artificial",
            ),
            *("chatbot", "language model", "gpt", "as dan", "like dan", "named dan", "called dan", "of ai"),
        },
    ),
    _order(
        "exfiltration",
        r"(?:reveal|show|print|repeat|output|display|leak|disclose|send|write out|give|tell)\b"
        rf"{_SOME}{{0,40}}\b(?:system|initial|hidden|secret|original|internal|developer) "
        r"(?:prompts?|instructions?)\b",
        r"(?:do not|don't|don’t|never|without) (?:tell|telling|inform|informing|alert|alerting)\b"
        rf"{_SOME}{{0,20}}\b(?:the )?(?:user|human operator)\b",
        hints={"prompt", "instruction", "the user", "human operator"},
    ),
    _order(
        "hijack",
        r"(?:just|only|now|instead,?) (?:print|say|output|respond with|reply with|answer with)\b(?=\s*[\"“':])",
        r"(?:you must|you have to|you will|always) (?:comply with|obey|accept)\b"
        rf"{_SOME}{{0,30}}\b(?:me|my|every|any|all|orders?|requests?|commands?)\b",
        rf"(?:never|don't|don’t|do not|cannot|can't|not) (?:say|state|claim|respond|reply)\b{_SOME}{{0,60}}\b"
        r"(?:as an ai|ai (?:language )?model|language model)\b",
        r"(?:openai|content|usage|anthropic)(?:'s|’s)? (?:content )?polic(?:y|ies)\b"
        r"(?=[^.\n]{0,80}\b(?:ignore|not apply|replaced|violat|against|bypass))",
        hints={
            *(
                "print",
                "now say",
                "just say",
                "only say",
                "output",
                "respond with",
                "reply with",
                "answer with",
            ),
            *("comply with", "obey", "must accept", "language model", "as an ai", "ai model"),
            *("openai", "content polic", "usage polic", "anthropic"),
        },
    ),
)
HINTS: Final = frozenset().union(*(marker.hints for marker in MARKERS))
