"""Reasoning signatures go back to the provider as they came, and nowhere else (LLM-05)."""

from __future__ import annotations

from typing import Any

from apps.agent.kernel import ChatReply, ChatRequest
from tests.fakes.kernel import Model, call, calls, play, says, tool

ANSWER = "The signature was accepted, so here it is."
DETAILS = [
    {"type": "reasoning.text", "text": "think", "index": 0},
    {"type": "reasoning.encrypted", "data": "sig", "id": "call_1"},
]


def wants_signature(request: ChatRequest) -> ChatReply:
    assistant: dict[str, Any] = next(m for m in request.messages if m["role"] == "assistant")
    assert assistant["reasoning_details"] == DETAILS
    assert assistant["content"] is None
    return says(ANSWER)


def test_echoed_unchanged_within_the_turn() -> None:
    first = calls(call("lookup", call_id="call_1"), reasoning_details=DETAILS)
    result = play([first, wants_signature, wants_signature], tool())
    assert result.text == ANSWER
    assert "reasoning_details" not in str(result.messages)
    assert "sig" not in repr(first)


def test_models_that_send_none_get_none() -> None:
    model = Model([calls(call("lookup")), says(ANSWER), says(ANSWER)])
    play(model, tool())
    assert "reasoning_details" not in str(model.requests[-1].messages)
