"""The model of these tests: it plans five tools, of which one raises, then says all that they returned."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from pydantic import SecretStr

from tests.fakes.llm import Reply, ScriptedLlm, calls, says, says_json
from tests.isolation.cast import EXPLODES

QUESTION = "What is the door code of {marker}?"
_MARKER = re.compile(r"zq\w+")


@contextmanager
def scripted_model() -> Iterator[ScriptedLlm]:
    """Connected through Root's own client."""
    before = settings.ENV
    with ScriptedLlm() as llm:
        llm.answer_with(_turn)
        llm.answer_with(_scores, purpose="search_rerank")
        llm.answer_with(_news, purpose="web-research")
        llm.answer_with(_entries, purpose="slack.extraction")
        llm.answer_with(_approved, purpose="slack.extraction-review")
        llm.answer_with(_digest, purpose="slack.distill")
        llm.answer_with(_file, purpose="slack.enrichment")
        settings.ENV = before.model_copy(
            update={"openrouter_base_url": llm.base_url, "openrouter_api_key": SecretStr("test-key")}
        )
        try:
            yield llm
        finally:
            settings.ENV = before


def _turn(request: dict[str, Any], _headers: Mapping[str, str]) -> Reply:
    since = _since_the_question(request["messages"])
    results = [m["content"] for m in since if m["role"] == "tool"]
    if not request.get("tools") or results:
        return says("The tools returned: " + " ".join(results))
    question = str(since[0]["content"])
    marker = (_MARKER.findall(question) or ["nobody"])[-1]
    passed_on = {"escalation_reason": f"About {marker}", "user_request_summary": f"The code of {marker}"}
    return calls(
        ("search_knowledge_base", {"query": "door code"}),
        ("search_members", {"query": "keeper"}),
        ("remember_user_preference", {"instructions": EXPLODES}),
        ("escalate_to_admin", passed_on),
        ("list_user_preferences", {}),
    )


def _since_the_question(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    last = max(place for place, message in enumerate(messages) if message["role"] == "user")
    return messages[last:]


def _scores(request: dict[str, Any], _headers: Mapping[str, str]) -> Reply:
    shown = json.loads(request["messages"][-1]["content"])["results"]
    return says_json({"scores": [{"id": result["id"], "score": 5} for result in shown]})


def _news(request: dict[str, Any], _headers: Mapping[str, str]) -> Reply:
    return says("Reported today: " + str(request["messages"][-1]["content"]))


def _entries(request: dict[str, Any], _headers: Mapping[str, str]) -> Reply:
    said = json.loads(request["messages"][1]["content"])[0]
    marker = (_MARKER.findall(said["text"]) or ["nobody"])[0]
    entry = {"title": f"Kilns of {marker}", "content": f"The kilns of {marker} hold their warmth for hours."}
    return says_json({"entries": [entry | {"category": "craft", "message": said["n"], "confidence": 0.9}]})


def _approved(_request: dict[str, Any], _headers: Mapping[str, str]) -> Reply:
    return says_json({"verdict": "approved", "reason": "It lasts."})


def _digest(request: dict[str, Any], _headers: Mapping[str, str]) -> Reply:
    """Names whoever was named in the thread."""
    named = " ".join(sorted(set(_MARKER.findall(str(request["messages"])))))
    return says_json(
        {"question": f"Who is at {named}?", "summary": named, "resolution": "", "topics": [named]}
    )


def _file(request: dict[str, Any], _headers: Mapping[str, str]) -> Reply:
    return says("It holds " + " ".join(_MARKER.findall(str(request["messages"]))))
