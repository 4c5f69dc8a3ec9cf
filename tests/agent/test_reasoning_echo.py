"""A model that checks its own signatures: the same turn from the wire's side (LLM-05)."""

from __future__ import annotations

import json
from typing import Any

from apps.agent.models import ConversationLog
from apps.tenancy.context import tenant_context
from tests.agent.asking import ask
from tests.fakes.llm import Reply, calls, fails, says
from tests.plugins.community import Community

FIRST = [
    {"type": "reasoning.text", "text": "look it up", "index": 0, "signature": None},
    {"type": "reasoning.encrypted", "data": "c2lnLTE=", "id": "call_1", "index": 1, "extra": {"b": 1, "a": [2]}},
]  # fmt: skip
SECOND = [{"type": "reasoning.encrypted", "data": "c2lnLTI=", "id": "call_2", "index": 0}]
ANSWER = "Ines Prado is the one to ask about pricing."


def strict(request: dict[str, Any], _headers: Any) -> Reply:
    """Like Gemini: what it signed comes back with its own message, unchanged and in order, or the turn is over."""
    said = [message for message in request["messages"] if message["role"] == "assistant"]
    echoed = [message.get("reasoning_details") for message in said]
    if json.dumps(echoed) != json.dumps([FIRST, SECOND][: len(said)]):
        return fails(400, "Function call is missing a thought_signature in functionCall parts.")
    if not said:
        return calls(("search_members", {"query": "pricing"}, "call_1"), reasoning_details=FIRST)
    if len(said) == 1:
        return calls(("search_knowledge_base", {"query": "pricing"}, "call_2"), reasoning_details=SECOND)
    return says(ANSWER)


def test_a_turn_of_two_batches_keeps_its_signatures(community: Community) -> None:
    community.llm.answer_with(strict)
    outcome = ask(community, "who knows about pricing?")
    assert (outcome.response, outcome.success) == (ANSWER, True)
    assert len(community.llm.chats) == 3
    assert [call.name for call in outcome.tool_calls] == ["search_members", "search_knowledge_base"]


def test_signatures_are_neither_kept_nor_carried_into_the_next_turn(community: Community) -> None:
    community.llm.answer_with(strict)
    first = ask(community, "who knows about pricing?", thread_key="one")
    with tenant_context(community.tenant):
        assert "c2ln" not in str(list(ConversationLog.objects.values()))
    community.llm.reset()
    community.llm.reply(says("She is in on Mondays, as far as I know."))
    ask(community, "when is she in?", thread_key=first.thread_key)
    [request] = community.llm.chats
    assert ANSWER in request.text and "c2ln" not in request.text and "reasoning_details" not in request.text


def test_a_model_that_signs_nothing_is_sent_nothing(community: Community) -> None:
    community.llm.reply(calls(("search_members", {"query": "pricing"})), says(ANSWER), says(ANSWER))
    assert ask(community, "who knows about pricing?").success
    assert all("reasoning_details" not in request.text for request in community.llm.chats)
