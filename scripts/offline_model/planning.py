"""The planning round: which tools answer this question, and a plan to show while they run."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from scripts.offline_model.arguments import fill, names
from scripts.offline_model.embedder import Embedder
from scripts.offline_model.questions import is_question, parts, small_talk, with_context
from scripts.offline_model.reply import Call, Reply
from scripts.offline_model.tools import KNOWLEDGE, Json, OfferedTool
from scripts.offline_model.transcript import Turn
from scripts.offline_model.words import coverage, stems, words

MOST_CALLS = 3
# Measured on the demo community's tools: the right one scores .55 and more, a wrong one rarely above .45.
ENOUGH = 0.5
ENOUGH_TO_ACT = 0.3

_SEARCHES = 2
_LONGEST_QUERY = 2_000
_BULLET = 40
_STATUS = 80
_ASKING = re.compile(
    r"^(?:(?:please|pls|hey|hi|hello|ok|okay|and|then|also|now|just)[\s,]+)*"
    r"(?:(?:can|could|would|will)\s+you\s+(?:please\s+)?|i(?:'d| would)\s+like\s+(?:you\s+)?to\s+"
    r"|i\s+(?:want|need)\s+(?:you\s+)?to\s+|let's\s+)?(?:please\s+)?(?P<verb>[a-z]+)\b",
    re.IGNORECASE,
)
_PADDING = (
    "Compare what comes back",
    "Keep what fits the question",
    "Quote it word for word",
    "Note where each line stands",
    "Sharpen a pencil, just in case",
)


@dataclass(frozen=True, kw_only=True)
class _Candidate:
    tool: OfferedTool
    arguments: Json
    part: str  # of the question, the one it fits best
    score: float


def plan(turn: Turn, *, tools: list[OfferedTool], embedder: Embedder) -> Reply:
    if turn.results:
        return Reply(text="Everything asked for has been looked up; the answer can be put together.")
    if (friendly := small_talk(turn.question)) is not None:
        return Reply(text=friendly)
    chosen = choose(turn, tools=tools, embedder=embedder)
    if not chosen:
        return Reply(
            text="Nothing that is on offer here answers this, so nothing was looked up.", closing=True
        )
    calls = tuple(
        Call(name=tool.name, arguments=json.dumps(given, ensure_ascii=False)) for tool, given in chosen
    )
    return Reply(text=plan_text([tool for tool, _ in chosen]), calls=calls)


def choose(turn: Turn, *, tools: list[OfferedTool], embedder: Embedder) -> list[tuple[OfferedTool, Json]]:
    """At most three calls, the knowledge base first whenever something is asked."""
    question = with_context(turn.question, before=turn.before)
    acting = _actions(turn.question, tools=tools, embedder=embedder)
    others = acting or _lookups(question, latest=turn.question, tools=tools, embedder=embedder)
    chosen = [(candidate.tool, candidate.arguments) for candidate in others]
    knowledge = next((tool for tool in tools if tool.name == KNOWLEDGE), None)
    if knowledge is None or (acting and not is_question(turn.question)):
        return chosen[:MOST_CALLS]
    searches: list[tuple[OfferedTool, Json]] = [
        (knowledge, {"query": query}) for query in _queries(question, others)
    ]
    return [*searches, *chosen][:MOST_CALLS]


def _queries(question: str, others: list[_Candidate]) -> list[str]:
    """Unrelated parts are searched apart, since one vector cannot point at two subjects; parts another tool
    answers are left to it, unless nothing else is left."""
    asked = parts(question)
    left = [part for part in asked if part not in {candidate.part for candidate in others}]
    return [
        query[:_LONGEST_QUERY]
        for query in (left[:_SEARCHES] if len(left) > 0 and len(asked) > 1 else [question])
    ]


def _lookups(question: str, *, latest: str, tools: list[OfferedTool], embedder: Embedder) -> list[_Candidate]:
    """Tools that only read, best match first; each part of the question counts for itself."""
    found = []
    for tool in tools:
        if tool.name == KNOWLEDGE or tool.changes_something:
            continue
        scored = [(score(tool, part, embedder=embedder), part) for part in parts(question)]
        best, part = max(scored)
        arguments = fill(tool, message=question, part=part, latest=latest) if best >= ENOUGH else None
        if arguments is not None:
            found.append(_Candidate(tool=tool, arguments=arguments, part=part, score=best))
    return _standing_out(sorted(found, key=lambda candidate: -candidate.score))


def _standing_out(found: list[_Candidate]) -> list[_Candidate]:
    """A runner-up far behind the best is more likely noise than help."""
    return [candidate for candidate in found if candidate.score >= found[0].score - 0.35]


def _actions(question: str, *, tools: list[OfferedTool], embedder: Embedder) -> list[_Candidate]:
    """Tools that change something: only when told to, and only when everything they need was said."""
    found = []
    for part in parts(question):
        match = _ASKING.match(part)
        verb = match["verb"].lower() if match else ""
        for tool in tools:
            if verb not in tool.verbs or not tool.changes_something:
                continue
            value = score(tool, part, embedder=embedder)
            about = not tool.object_stems or bool(tool.object_stems & stems(part))
            arguments = (
                fill(tool, message=question, part=part, latest=part) if about or value >= ENOUGH else None
            )
            if arguments is not None and value >= ENOUGH_TO_ACT:
                found.append(_Candidate(tool=tool, arguments=arguments, part=part, score=value))
    return sorted(found, key=lambda candidate: -candidate.score)[:1]


def score(tool: OfferedTool, part: str, *, embedder: Embedder) -> float:
    """Meaning, plus words in common; words of the name weigh most."""
    said = stems(part)
    meaning = embedder.similarity(part[:1_000], tool.summary)
    common = 0.35 * coverage(said, tool.stems) + 0.2 * coverage(tool.object_stems, said)
    named = len(tool.name_words) > 1 and tool.phrase in " ".join(words(part))
    return meaning + common + 0.3 * named + 0.5 * _asks_for_people(tool, part)


def _asks_for_people(tool: OfferedTool, part: str) -> bool:
    """ "Who is Amara Quill?" shares no word with a directory, and yet is made for it."""
    return "names" in tool.properties and "who" in words(part) and bool(names(part))


def plan_text(tools: list[OfferedTool]) -> str:
    """One status sentence and exactly five bullets."""
    subjects = ["the knowledge base" if tool.name == KNOWLEDGE else _spoken(tool) for tool in tools]
    status = f"Looking into it: {', '.join(subjects)}."
    if len(status) > _STATUS:
        status = f"Looking into it in {len(subjects)} places."
    lookups = [f"Check {subject}"[:_BULLET].rstrip() for subject in subjects]
    bullets = [*lookups, *_PADDING][:5]
    return "\n".join([status, *(f"- {bullet}" for bullet in bullets)])


def _spoken(tool: OfferedTool) -> str:
    return " ".join(words(tool.label)) or tool.name
