"""A failed call is never taken for an answer, and says whether asking again makes sense."""

from __future__ import annotations

import json
import traceback
from typing import Any

import pytest
from pydantic import SecretStr

from apps.integrations.llm import chat
from apps.tenancy.models import Tenant
from tests.fakes.llm import (
    Reply,
    ScriptedLlm,
    drops,
    fails,
    hidden_error,
    html,
    no_choices,
    raw,
    says,
    without_usage,
)

PROMPT = "the members' private words"
ASK: list[dict[str, Any]] = [{"role": "user", "content": PROMPT}]


def _failure(llm: ScriptedLlm, reply: Reply) -> chat.LlmFailure:
    llm.reply(reply)
    with pytest.raises(chat.LlmFailure) as caught:
        chat.complete(ASK, purpose="p", timeout=20)
    assert len(llm.chats) == 1, "one call is one request"
    return caught.value


@pytest.mark.parametrize(
    ("status", "code", "retryable"),
    [
        (400, "bad_request", True),
        (401, "unauthorized", False),
        (402, "payment_required", False),
        (403, "forbidden", False),
        (404, "bad_request", True),
        (408, "timeout", True),
        (413, "too_large", True),
        (429, "rate_limited", True),
        (500, "provider_error", True),
        (503, "provider_error", True),
        (529, "provider_error", True),
    ],
)
def test_statuses(llm: ScriptedLlm, in_tenant: Tenant, status: int, code: str, retryable: bool) -> None:
    failure = _failure(llm, fails(status))
    assert (failure.code, failure.retryable, failure.status) == (code, retryable, status)


@pytest.mark.parametrize(
    "reply",
    [
        no_choices(),
        says("The answer is", finish_reason="error"),
        html(),
        raw(b""),
        raw(b"null"),
        raw(b"[1, 2]"),
        raw(b'{"choices": "none"}'),
        raw(b'{"choices": [null]}'),
        raw(b'{"choices": [{"message": null, "finish_reason": "stop"}]}'),
        raw(b'{"choices": [{"error": {"message": "cut"}, "message": {"content": "half"}}]}'),
        raw(b'{"error": "something", "choices": [{"message": {"content": "x"}}]}'),
        raw(b"[" * 100_000),
        raw(b'{"choices": \xff\xfe'),
    ],
)
def test_a_200_that_is_no_answer(llm: ScriptedLlm, in_tenant: Tenant, reply: Reply) -> None:
    """LLM-01: half a text, HTML, no choices, all with status 200."""
    failure = _failure(llm, reply)
    assert (failure.code, failure.retryable, failure.status) == ("bad_response", True, 200)


@pytest.mark.parametrize(
    ("code", "expected", "retryable"),
    [(502, "provider_error", True), (402, "payment_required", False), (429, "rate_limited", True)],
)
def test_an_error_inside_a_200_counts_by_its_own_code(
    llm: ScriptedLlm, in_tenant: Tenant, code: int, expected: str, retryable: bool
) -> None:
    failure = _failure(llm, hidden_error(code))
    assert (failure.code, failure.retryable, failure.status) == (expected, retryable, code)


def test_a_connection_cut_without_a_word(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    failure = _failure(llm, drops())
    assert (failure.code, failure.retryable) == ("network", True)


def test_nobody_listens(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.stop()
    with pytest.raises(chat.LlmFailure) as caught:
        chat.complete(ASK, purpose="p")
    assert (caught.value.code, caught.value.retryable) == ("network", True)


def test_an_answer_that_does_not_come_in_time(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(says("late", delay=30))
    with pytest.raises(chat.LlmFailure) as caught:
        chat.complete(ASK, purpose="p", timeout=0.2)
    assert (caught.value.code, caught.value.retryable) == ("timeout", True)


def test_the_next_call_works_again(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    _failure(llm, hidden_error())
    llm.reply(says("good"))
    assert chat.complete(ASK, purpose="p").text == "good"


def test_missing_usage_is_no_failure(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(without_usage(says("fine")))
    reply = chat.complete(ASK, purpose="p")
    assert (reply.text, reply.usage.total_tokens, reply.usage.cost_usd) == ("fine", 0, 0.0)


def test_neither_key_nor_prompt_in_what_is_raised(llm: ScriptedLlm, in_tenant: Tenant, settings: Any) -> None:
    key = "sk-or-v1-very-secret"
    settings.ENV = settings.ENV.model_copy(update={"openrouter_api_key": SecretStr(key)})
    llm.reply(fails(401, f"Incorrect API key provided: {key}. Prompt was: {PROMPT}"))
    with pytest.raises(chat.LlmFailure) as caught:
        chat.complete(ASK, purpose="p")
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + caught.value.message
    assert key not in shown
    assert PROMPT not in shown


def _message(message: Any) -> Reply:
    choice = {"finish_reason": None, "message": message}
    return raw(json.dumps({"choices": [choice], "model": 7, "usage": []}).encode())


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "a\ud800b"}, "a\ufffdb"),
        ({"content": [{"type": "text", "text": "in "}, {"type": "text", "text": "parts"}, 3]}, "in parts"),
        ({"content": None, "refusal": "I would rather not."}, "I would rather not."),
        ({"content": None}, None),
        ({"content": ""}, ""),
        ({"content": {"odd": 1}, "tool_calls": "none", "reasoning_details": "x"}, None),
    ],
)
def test_contents_of_every_shape(llm: ScriptedLlm, in_tenant: Tenant, message: Any, text: str | None) -> None:
    llm.reply(_message(message))
    reply = chat.complete(ASK, purpose="p")
    assert (reply.text, reply.tool_calls, reply.finish_reason) == (text, (), "")
    assert (reply.reasoning_details, reply.model) == (None, "google/gemini-3.5-flash")


def test_tool_calls_of_every_shape(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    """LLM-03 and LLM-04 begin here: nothing is lost or repaired on the way in."""
    wire = [
        {"id": "a", "function": {"name": "one", "arguments": '{"cut": "o'}},
        {"id": "a", "function": {"name": "two", "arguments": {"already": "parsed"}}},
        {"function": {"name": None, "arguments": None}},
        {"id": 7, "function": "none"},
        "no call",
    ]
    llm.reply(_message({"content": None, "tool_calls": wire}))
    found = chat.complete(ASK, purpose="p").tool_calls
    assert [(call.id, call.name, call.arguments) for call in found] == [
        ("a", "one", '{"cut": "o'),
        ("a", "two", '{"already": "parsed"}'),
        ("", "", ""),
        ("", "", ""),
    ]
