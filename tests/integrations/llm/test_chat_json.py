"""A question answered in a form: the schema on the wire, repairs, budgets, and a typed end."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from apps.integrations.llm.asking import AskOptions
from apps.integrations.llm.failures import LlmFailure
from apps.integrations.llm.structured import chat_json
from apps.tenancy.models import Tenant
from tests.fakes.llm import Reply, ScriptedLlm, fails, says, says_json

ASK: list[dict[str, Any]] = [{"role": "user", "content": "Is this urgent?"}]
AT_ONCE: AskOptions = {"retry_delays_ms": (0, 0)}


class Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid")

    urgent: bool
    level: Literal["high", "low"]
    confidence: float = Field(ge=0, le=1)


GOOD = {"urgent": True, "level": "high", "confidence": 0.9}
SCHEMA = {
    "title": "Tags of a page",
    "type": "object",
    "properties": {"tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2}},
    "required": ["tags"],
}


def ask(llm: ScriptedLlm, *replies: Reply, **options: Any) -> Verdict:
    llm.reply(*replies)
    return chat_json(ASK, Verdict, purpose="judge", **{**AT_ONCE, **options})


def test_a_model_comes_back_as_one(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    assert ask(llm, says_json(GOOD)) == Verdict(urgent=True, level="high", confidence=0.9)
    [request] = llm.chats
    wanted = request.body["response_format"]
    assert wanted["type"] == "json_schema"
    assert wanted["json_schema"]["name"] == "Verdict"
    assert wanted["json_schema"]["strict"] is True
    assert wanted["json_schema"]["schema"] == Verdict.model_json_schema()
    assert request.body["reasoning"] == {"effort": "low"}
    assert '"confidence"' in request.body["messages"][-1]["content"], "the form is said in words as well"


def test_a_schema_works_without_a_model(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(says_json({"tags": ["a", "b", "c"]}), says_json({"tags": ["a", "b"]}))
    assert chat_json(ASK, SCHEMA, purpose="tags", **AT_ONCE) == {"tags": ["a", "b"]}
    sent = llm.chats[0].body["response_format"]["json_schema"]
    assert (sent["name"], sent["strict"]) == ("Tags_of_a_page", False)
    assert "tags" in llm.chats[1].body["messages"][-1]["content"]


def test_the_model_is_shown_its_mistake(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    wrong = {"urgent": "perhaps", "level": "medium", "confidence": 7}
    assert ask(llm, says_json(wrong), says_json(GOOD)).level == "high"
    question, form, echo, request = llm.chats[1].body["messages"]
    assert (question["content"], form["role"]) == ("Is this urgent?", "system")
    assert (echo["role"], json.loads(echo["content"])) == ("assistant", wrong)
    assert request["role"] == "user"
    for part in ("urgent", "level", "confidence"):
        assert f"- {part}:" in request["content"]


def test_only_the_last_mistake_is_shown(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    ask(llm, says("first try"), says("second try"), says_json(GOOD))
    last = llm.chats[2].text
    assert "second try" in last and "first try" not in last


def test_three_repairs_and_no_more(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    with pytest.raises(LlmFailure) as caught:
        ask(llm, *[says("I would rather chat about the members' secrets.")] * 5)
    assert (caught.value.code, caught.value.retryable) == ("unstructured", False)
    assert len(llm.chats) == 4
    assert "secrets" not in str(caught.value)


@pytest.mark.parametrize(
    ("base", "variables", "budgets"),
    [
        (1_000, {}, [1_000, 2_000, 2_000, 2_000]),
        (60_000, {}, [60_000, 96_000, 96_000, 96_000]),
        (200_000, {}, [96_000] * 4),
        (None, {}, [8_000, 16_000, 16_000, 16_000]),
        (None, {"llm_max_tokens": 500}, [500, 1_000, 1_000, 1_000]),
    ],
)
def test_budgets_escalate(
    llm: ScriptedLlm, in_tenant: Tenant, settings: Any, base: Any, variables: Any, budgets: list[int]
) -> None:
    settings.ENV = settings.ENV.model_copy(update=variables)
    with pytest.raises(LlmFailure):
        ask(llm, *[says("no")] * 4, max_tokens=base)
    assert [request.body["max_tokens"] for request in llm.chats] == budgets


def test_a_cut_answer_is_asked_for_again_with_more_room(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    whole = json.dumps(GOOD)
    assert ask(llm, says(whole[:-9], finish_reason="length"), says(whole)).confidence == 0.9
    assert "cut off" in llm.chats[1].body["messages"][-1]["content"]


def test_an_empty_answer_is_repaired_without_an_empty_message(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    ask(llm, says(None), says_json(GOOD))
    assert [message["role"] for message in llm.chats[1].body["messages"]] == ["user", "system", "user"]


def without_format(request: dict[str, Any], _headers: Any) -> Reply:
    return fails(400, "unknown field") if "response_format" in request else says_json(GOOD)


@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_provider_that_knows_no_formats_is_asked_in_words(
    llm: ScriptedLlm, in_tenant: Tenant, status: int
) -> None:
    assert ask(llm, fails(status), says_json(GOOD)).urgent
    assert ["response_format" in request.body for request in llm.chats] == [True, False]


def test_what_a_model_cannot_do_is_remembered(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.answer_with(without_format)
    for model in ("own/small", "own/small", "own/other"):
        ask(llm, model=model)
    sent = [("response_format" in request.body, request.body["model"]) for request in llm.chats]
    assert sent == [
        (True, "own/small"),
        (False, "own/small"),
        (False, "own/small"),
        (True, "own/other"),
        (False, "own/other"),
    ]


def test_a_question_that_is_refused_itself_blames_no_format(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    with pytest.raises(LlmFailure) as caught:
        ask(llm, *[fails(400)] * 4)
    assert (caught.value.code, len(llm.chats)) == ("bad_request", 4)
    llm.reset()
    ask(llm, says_json(GOOD))
    assert "response_format" in llm.chats[0].body


def test_no_key_no_repair(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    with pytest.raises(LlmFailure) as caught:
        ask(llm, fails(401), says_json(GOOD))
    assert (caught.value.code, len(llm.chats)) == ("unauthorized", 1)


def test_outages_between_repairs_are_survived(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    assert ask(llm, fails(503), says("no"), fails(503), fails(503), says_json(GOOD)).urgent
