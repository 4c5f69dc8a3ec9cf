"""Root's own client and the offline model understand each other."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from apps.integrations.llm import chat, embeddings
from apps.tenancy.models import LlmTokenUsage, Tenant
from scripts.offline_model.embedder import EMBEDDER_ID, Embedder
from scripts.offline_model.server import OfflineServer

PARAMETERS = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
SEARCH = {
    "type": "function",
    "function": {"name": "search_knowledge_base", "description": "Searches.", "parameters": PARAMETERS},
}
PAGE = {
    "title": "Guests",
    "text": "A member may bring up to two guests.",
    "url": "https://house.example/guests",
}


@pytest.fixture
def offline(settings: Any) -> Iterator[None]:
    server = OfflineServer(Embedder.load(), host="127.0.0.1", port=0)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    settings.ENV = settings.ENV.model_copy(
        update={
            "openrouter_base_url": f"http://127.0.0.1:{server.server_port}/v1",
            "openrouter_api_key": None,
            "openrouter_provider_preferences": {"sort": "price"},
        }
    )
    yield
    server.shutdown()
    server.server_close()


def test_a_question_from_plan_to_answer(offline: None, in_tenant: Tenant) -> None:
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You are Pilot."},
        {"role": "user", "content": "How many guests may I bring?"},
    ]
    plan = chat.complete(messages, purpose="plan", tools=[SEARCH], temperature=0, reasoning_effort="medium")
    [call] = plan.tool_calls
    assert json.loads(call.arguments) == {"query": "How many guests may I bring?"}
    function = {"name": call.name, "arguments": call.arguments}
    echo = {"id": call.id, "type": "function", "function": function}
    result = {"success": True, "data": {"status": "found", "results": [PAGE]}}
    messages += [
        {"role": "assistant", "content": plan.text, "tool_calls": [echo]},
        {"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)},
        {"role": "system", "content": "Answer from the results only."},
    ]
    answer = chat.complete(messages, purpose="answer", max_tokens=16_000)
    assert "“A member may bring up to two guests.”" in (answer.text or "")
    assert "https://house.example/guests" in (answer.text or "")
    assert answer.model == "offline/quoting-1"
    assert LlmTokenUsage.objects.filter(total_tokens__gt=0, cost_usd=0).count() == 2


def test_texts_become_vectors_of_the_offline_embedder(offline: None, in_tenant: Tenant) -> None:
    batch = embeddings.embed(["May I bring a guest?", " ", "Visitors are welcome.", "x" * 60_000])
    assert batch.embedder == EMBEDDER_ID
    assert batch.failures == {1: embeddings.BLANK}
    assert [vector is not None for vector in batch.vectors] == [True, False, True, True]


def test_a_refusal_comes_back_as_a_failure(offline: None, in_tenant: Tenant) -> None:
    with pytest.raises(chat.LlmFailure) as caught:
        chat.complete([{"role": "robot", "content": "x"}], purpose="p")
    assert (caught.value.code, caught.value.status) == ("bad_request", 400)
