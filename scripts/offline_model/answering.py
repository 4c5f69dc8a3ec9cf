"""The answer round: quote what bears on the question, say what failed, and never make anything up."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from scripts.offline_model.embedder import Embedder
from scripts.offline_model.passages import Passage, passages
from scripts.offline_model.questions import parts, small_talk, with_context
from scripts.offline_model.quoting import quotes
from scripts.offline_model.readable import Readable, readable
from scripts.offline_model.reply import Reply
from scripts.offline_model.tools import KNOWLEDGE, subject
from scripts.offline_model.transcript import ToolResult, Turn

_ENTRIES = 8
_CONSIDERED = 60
_LONGEST_PART = 1_000
# A part of the question this close to a backend tool's subject is answered by it, not by a page.
_ANSWERED_ELSEWHERE = 0.45


@dataclass(kw_only=True)
class _Findings:
    found: list[Passage] = field(default_factory=list)
    facts: list[tuple[str, Readable]] = field(default_factory=list)  # what they are about, and they
    failures: list[str] = field(default_factory=list)
    incomplete: bool = False


def answer(turn: Turn, *, embedder: Embedder) -> Reply:
    if not turn.results:
        friendly = small_talk(turn.question)
        if friendly is not None:
            return Reply(text=friendly)
        return Reply(text="Nothing was looked up for this, so there is nothing I can quote.", closing=True)
    findings = _sorted_out(turn.results)
    question = with_context(turn.question, before=turn.before)
    blocks = _quotations(question, findings, embedder=embedder)
    blocks += [_facts(about, told, question=question, embedder=embedder) for about, told in findings.facts]
    if not blocks:
        blocks = [_nothing(findings)]
    blocks += [f"Not completed: {failure}" for failure in findings.failures]
    return Reply(text="\n\n".join(block for block in blocks if block), closing=True)


def _sorted_out(results: tuple[ToolResult, ...]) -> _Findings:
    findings = _Findings()
    searches: list[list[Passage]] = []
    for result in results:
        content = result.content
        if isinstance(content, dict) and content.get("success") is False:
            findings.failures.append(_failure(result, content.get("error")))
            continue
        data = content.get("data", content) if isinstance(content, dict) else content
        findings.incomplete |= isinstance(data, dict) and data.get("status") in ("partial", "failed")
        if found := passages(data):
            searches.append(found)
        elif (told := readable(data)).has_content:
            findings.facts.append((subject(result.name), told))
        elif result.name != KNOWLEDGE:
            findings.facts.append((subject(result.name), Readable(facts=["nothing there"])))
    # The first of each search before the second of any: only so many are read.
    ranked = [passage for rank in zip_longest(*searches) for passage in rank if passage is not None]
    findings.found = list(dict.fromkeys(ranked))
    return findings


def _failure(result: ToolResult, error: Any) -> str:
    reason = " ".join(error.split())[:300] if isinstance(error, str) else ""
    return f"{subject(result.name).lower()}. {reason}".strip()


def _quotations(question: str, findings: _Findings, *, embedder: Embedder) -> list[str]:
    """One block a passage: where it stands, then what it says."""
    blocks: dict[str, list[str]] = {}
    for part in _left_for_pages(question, findings, embedder=embedder):
        for quote in quotes(part, findings.found, embedder=embedder):
            block = blocks.setdefault(quote.passage.source, [])
            block += [sentence for sentence in quote.sentences if sentence not in block]
    return ["\n".join([f"{source}:", *(f"- “{text}”" for text in block)]) for source, block in blocks.items()]


def _left_for_pages(question: str, findings: _Findings, *, embedder: Embedder) -> list[str]:
    asked = [part[:_LONGEST_PART] for part in parts(question)]
    left = [
        part
        for part in asked
        if all(embedder.similarity(part, about) < _ANSWERED_ELSEWHERE for about, _ in findings.facts)
    ]
    return left or asked[:1]


def _facts(about: str, told: Readable, *, question: str, embedder: Embedder) -> str:
    entries = told.entries[:_CONSIDERED]
    if len(entries) > _ENTRIES:
        asked = question[:_LONGEST_PART]
        nearest = sorted(entries, key=lambda entry: -embedder.similarity(asked, entry))[:_ENTRIES]
        entries = [entry for entry in entries if entry in nearest]
    bullets = [f"- {line}" for line in (*told.facts[:_ENTRIES], *entries)]
    hidden = len(told.entries) - len(entries)
    return "\n".join([f"{about}:", *bullets, *([f"- … and {hidden} more"] if hidden > 0 else [])])


def _nothing(findings: _Findings) -> str:
    if findings.failures and not findings.found:
        return ""
    if findings.incomplete:
        return (
            "The search was incomplete and brought nothing that fits, which does not mean there is nothing."
        )
    return "I looked, but found nothing that answers this. Someone on the team may know more."
