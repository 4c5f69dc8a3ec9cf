"""What one chat completion puts on the wire."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import SecretStr

from apps.integrations.llm import chat
from apps.tenancy.context import NoTenant
from apps.tenancy.models import Tenant
from tests.fakes.llm import ScriptedLlm, calls, fails, says

HELLO: list[dict[str, Any]] = [{"role": "user", "content": "hello"}]
TOOL = {"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": {}}}


def test_the_plain_request(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(says("Hi."))
    reply = chat.complete(HELLO, purpose="agent.answer")
    assert (reply.text, reply.tool_calls, reply.finish_reason) == ("Hi.", (), "stop")
    [request] = llm.chats
    assert request.headers["authorization"] == "Bearer test-key"
    assert request.headers["x-root-purpose"] == "agent.answer"
    assert request.body == {
        "model": "google/gemini-3.5-flash",
        "messages": HELLO,
        "usage": {"include": True},
    }


def test_every_option_reaches_the_provider(llm: ScriptedLlm, in_tenant: Tenant, settings: Any) -> None:
    preferences = {"order": ["a", "b"], "allow_fallbacks": False}
    settings.ENV = settings.ENV.model_copy(
        update={
            "openrouter_provider_preferences": preferences,
            "openrouter_title": "Root",
            "platform_base_url": "https://root.example",
        }
    )
    llm.reply(says("ok"))
    chat.complete(
        HELLO,
        purpose="p",
        tools=[TOOL],
        temperature=0,
        max_tokens=16_000,
        reasoning_effort="medium",
        response_format={"type": "json_object"},
    )
    [request] = llm.chats
    body = request.body
    assert body["tools"] == [TOOL]
    assert (body["temperature"], body["max_tokens"]) == (0, 16_000)
    assert body["reasoning"] == {"effort": "medium"}
    assert body["provider"] == preferences
    assert body["response_format"] == {"type": "json_object"}
    assert request.headers["http-referer"] == "https://root.example"
    assert request.headers["x-title"] == "Root"


@pytest.mark.parametrize("effort", [None, "", "none", " None "])
def test_no_effort_sends_no_reasoning_field(llm: ScriptedLlm, in_tenant: Tenant, effort: str | None) -> None:
    llm.reply(says("ok"))
    chat.complete(HELLO, purpose="p", reasoning_effort=effort)
    assert "reasoning" not in llm.chats[0].body


def test_environment_defaults_apply_where_the_caller_is_silent(
    llm: ScriptedLlm, in_tenant: Tenant, settings: Any
) -> None:
    settings.ENV = settings.ENV.model_copy(update={"llm_temperature": 0.4, "llm_max_tokens": 900})
    llm.reply(says("ok"), says("ok"))
    chat.complete(HELLO, purpose="p")
    chat.complete(HELLO, purpose="p", temperature=0.0, max_tokens=5)
    sent = [(request.body["temperature"], request.body["max_tokens"]) for request in llm.chats]
    assert sent == [(0.4, 900), (0.0, 5)]


@pytest.mark.parametrize(
    ("variables", "role", "expected"),
    [
        ({}, "writing", "anthropic/claude-sonnet-5"),
        ({}, "reasoning", "anthropic/claude-opus-4.8"),
        ({}, "web_research", "perplexity/sonar-pro-search"),
        ({"llm_model_planner": "x/plan"}, "planner", "x/plan"),
        ({"llm_model_default": "x/d"}, "work_saved", "x/d"),
        ({"llm_model_work_saved": "x/w"}, "work_saved", "x/w"),
    ],
)
def test_roles_choose_the_model(
    llm: ScriptedLlm, in_tenant: Tenant, settings: Any, variables: dict[str, str], role: Any, expected: str
) -> None:
    settings.ENV = settings.ENV.model_copy(update=variables)
    llm.reply(says("ok"))
    chat.complete(HELLO, purpose="p", role=role)
    assert llm.chats[0].body["model"] == expected


def test_a_role_without_a_model_is_refused_before_any_call(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    with pytest.raises(chat.LlmFailure) as caught:
        chat.complete(HELLO, purpose="p", role="image_generation")
    assert (caught.value.code, caught.value.retryable, llm.requests) == ("no_model", False, [])


def test_reasoning_details_go_back_unchanged(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    """LLM-05: the model checks its own signature."""
    details = [
        {"type": "reasoning.text", "text": "first\x00\x07", "index": 0, "signature": None},
        {
            "type": "reasoning.encrypted",
            "data": "c2ln",
            "id": "call_1",
            "index": 1,
            "extra": {"b": 1, "a": [2]},
        },
    ]

    def second(request: dict[str, Any], _: Any) -> Any:
        same = request["messages"][1].get("reasoning_details") == details
        return says("done") if same else fails(400, "missing a thought_signature")

    llm.reply(calls(("look", {}, "call_1"), reasoning_details=details))
    llm.answer_with(second)
    first = chat.complete(HELLO, purpose="p", tools=[TOOL])
    assert first.reasoning_details == details
    [call] = first.tool_calls
    assistant = {
        "role": "assistant",
        "content": None,
        "reasoning_details": first.reasoning_details,
        "tool_calls": [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        ],
    }
    tool = {"role": "tool", "tool_call_id": call.id, "content": "{}"}
    assert chat.complete([*HELLO, assistant, tool], purpose="p").text == "done"


def test_text_no_provider_takes_is_made_sendable(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(says("ok"))
    chat.complete([{"role": "user", "content": [{"type": "text", "text": "a\ud800b\x00c 😊"}]}], purpose="p")
    [message] = llm.chats[0].body["messages"]
    assert message["content"][0]["text"] == "a\ufffdb\ufffdc 😊"


def test_a_request_that_is_no_json_is_a_typed_failure(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    with pytest.raises(chat.LlmFailure) as caught:
        chat.complete([{"role": "user", "content": object()}], purpose="p")
    assert (caught.value.code, caught.value.retryable, llm.requests) == ("unsendable", False, [])


def test_names_that_fit_no_header_do_not_break_the_call(
    llm: ScriptedLlm, in_tenant: Tenant, settings: Any
) -> None:
    settings.ENV = settings.ENV.model_copy(update={"openrouter_title": "Café\r\nX-Evil: 1"})
    llm.reply(says("ok"))
    chat.complete(HELLO, purpose="zweck-ü\n")
    headers = llm.chats[0].headers
    assert headers["x-title"] == "Caf X-Evil: 1"
    assert headers["x-root-purpose"] == "zweck-"
    assert "x-evil" not in headers


def test_without_a_tenant_nothing_is_sent(llm: ScriptedLlm) -> None:
    with pytest.raises(NoTenant):
        chat.complete(HELLO, purpose="p")
    assert llm.requests == []


def test_variables_meant_for_openai_do_not_travel(
    llm: ScriptedLlm, in_tenant: Tenant, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    settings.ENV = settings.ENV.model_copy(update={"openrouter_api_key": None})
    llm.reply(says("ok"))
    chat.complete(HELLO, purpose="p")
    headers = llm.chats[0].headers
    assert headers["authorization"] == "Bearer none"
    assert not any("secret" in value for value in headers.values())


@pytest.mark.parametrize("key", [None, "", "  ", "two words", "clé"])
def test_the_hosted_provider_needs_a_usable_key(in_tenant: Tenant, settings: Any, key: str | None) -> None:
    settings.ENV = settings.ENV.model_copy(
        update={
            "openrouter_base_url": "https://openrouter.ai/api/v1",
            "openrouter_api_key": None if key is None else SecretStr(key),
        }
    )
    with pytest.raises(chat.LlmFailure) as caught:
        chat.complete(HELLO, purpose="p")
    assert (caught.value.code, caught.value.retryable) == ("no_api_key", False)
