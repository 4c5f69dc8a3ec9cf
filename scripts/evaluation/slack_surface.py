"""The Slack surface: a collection's documents as messages, found by the search in Slack.

A line may name its ``user``, ``ts``, ``thread_ts`` and ``channel``; without a time it is said a minute after the last.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from apps.foundation.errors import BadInput
from apps.knowledge.retrieval.slack import SlackOutcome, search_messages
from apps.knowledge.retrieval.slack.lanes import ALL_LANES, LaneName
from apps.knowledge.slack_index.ingest import SlackMessage, ingest_message
from apps.knowledge.sweep import sweep
from scripts.evaluation.collections import Collection, Document, say

Lanes = tuple[LaneName, ...]
LANES: dict[str, Lanes] = {"vector": ("vector",), "keyword": ("text",), "fused": ALL_LANES}
BEGINNING = 1_600_000_000
_ID = re.compile(r"[^A-Z0-9]")


def load_documents(collection: Collection) -> dict[str, str]:
    """Takes in each document as a message; returns the ids by channel and time. Too short ones are counted."""
    ids: dict[str, str] = {}
    refused = 0
    for number, document in enumerate(collection.documents):
        message = _message(document, number)
        try:
            row = ingest_message(message, live=False).row if message else None
        except BadInput:
            row = None
        if row is None:
            refused += 1
            continue
        ids[f"{row.channel_id}:{row.message_ts}"] = document.id
        if number % 1000 == 999:
            say(f"{number + 1} of {len(collection.documents)} messages")
    if refused:
        say(f"{refused} messages say too little, or when in no way that can be read, and were left out")
    sweep()
    return ids


def searching(
    ids: dict[str, str], *, lane: str, rerank: bool
) -> Callable[[str], tuple[list[str], SlackOutcome]]:
    """A search that answers with document ids, best first."""

    def search(query: str) -> tuple[list[str], SlackOutcome]:
        outcome = search_messages(query, rerank=rerank, lanes=LANES[lane])
        found = (ids.get(match.source_ref) for match in outcome.matches if match.kind == "message")
        return [document for document in found if document], outcome

    return search


def _message(document: Document, number: int) -> SlackMessage | None:
    facts = document.facts
    text = "\n".join(part for part in (document.title, document.text) if part)
    name = str(facts.get("channel") or "general")
    try:
        return SlackMessage(
            channel_id=_channel_id(name),
            channel_name=name.lstrip("#"),
            user_id=_optional(facts.get("user")),
            user_name=_optional(facts.get("user_name")) or _optional(facts.get("user")),
            ts=_optional(facts.get("ts")) or f"{BEGINNING + 60 * number}.000100",
            thread_ts=_optional(facts.get("thread_ts")),
            # People's words, not Slack's writing: its marks are no marks here.
            text=text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"),
        )
    except BadInput:
        return None


def _channel_id(name: str) -> str:
    return name if re.fullmatch(r"C[A-Z0-9]{2,40}", name) else f"C0{_ID.sub('', name.upper())[:38] or 'X'}"


def _optional(value: Any) -> str | None:
    return str(value) if value not in (None, "") else None
