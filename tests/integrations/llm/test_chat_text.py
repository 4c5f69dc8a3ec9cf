"""A question in prose: what is sent, and an answer that says whether it is whole."""

from __future__ import annotations

from typing import Any

import pytest

from apps.integrations.llm.text import chat_text
from apps.tenancy.models import Tenant
from tests.fakes.llm import ScriptedLlm, says

ASK: list[dict[str, Any]] = [{"role": "user", "content": "Sum this up."}]


def test_low_effort_unless_asked_otherwise(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(says("ok"), says("ok"), says("ok"))
    chat_text(ASK, purpose="p")
    chat_text(ASK, purpose="p", reasoning_effort="high")
    chat_text(ASK, purpose="p", reasoning_effort=None)
    assert [chat.body.get("reasoning") for chat in llm.chats] == [{"effort": "low"}, {"effort": "high"}, None]


def test_the_options_reach_the_wire(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(says("ok"))
    chat_text(ASK, purpose="memory.update", role="writing", temperature=0.2, max_tokens=700)
    [request] = llm.chats
    assert request.purpose == "memory.update"
    assert request.body["model"] == "anthropic/claude-sonnet-5"
    assert (request.body["temperature"], request.body["max_tokens"]) == (0.2, 700)


@pytest.mark.parametrize(("reason", "cut"), [("stop", False), ("length", True)])
def test_a_cut_text_says_so(llm: ScriptedLlm, in_tenant: Tenant, reason: str, cut: bool) -> None:
    llm.reply(says("  The beginning of it ", finish_reason=reason))
    answer = chat_text(ASK, purpose="p")
    assert (answer.text, answer.cut) == ("The beginning of it", cut)
    assert "beginning" not in repr(answer)
