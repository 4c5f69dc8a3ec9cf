"""``search_knowledge_base``: what the model reads of a search, by how it went."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apps.agent.kernel.emptiness import tool_call_signals_empty
from apps.agent.models import AgentToolCall
from apps.agent.tools import knowledge
from apps.tenancy.context import tenant_context
from tests.agent.asking import ask
from tests.fakes.llm import calls, fails, says
from tests.plugins.community import Community


def searched(community: Community, query: str) -> dict[str, Any]:
    community.llm.reply(
        calls(("search_knowledge_base", {"query": query})),
        says("That is enough to answer this."),
        says("This is what there is to be said about it."),
    )
    ask(community, "what about it?")
    [told] = [m["content"] for m in community.llm.chats[-1].body["messages"] if m["role"] == "tool"]
    result: dict[str, Any] = json.loads(told.splitlines()[1])
    return result


def test_nothing_found_by_a_whole_search_is_empty(community: Community) -> None:
    data = searched(community, "zeppelin")["data"]
    assert (data["status"], data["isEmpty"], data["guidance"]) == ("empty", True, knowledge.NOTHING_FOUND)


def test_nothing_found_by_half_a_search_is_no_absence(community: Community) -> None:
    community.llm.embedding.replies.append(fails(503))
    result = searched(community, "zeppelin")
    assert result["data"] == {
        "status": "partial",
        "degraded": ["vector"],
        "guidance": knowledge.PARTLY_SEARCHED_IN_VAIN,
    }
    # Neither the burst of empty results nor the record may take it for an answer.
    assert not tool_call_signals_empty(result)
    with tenant_context(community.tenant):
        assert AgentToolCall.objects.get().flight["status"] == "partial"


def test_what_half_a_search_found_is_told_as_a_part(community: Community) -> None:
    community.llm.embedding.replies.append(fails(503))
    data = searched(community, "guests")["data"]
    assert data["status"] == "partial" and data["results"]
    assert data["guidance"] == knowledge.PARTLY_SEARCHED and "isEmpty" not in data


def test_a_search_that_failed_says_so(community: Community) -> None:
    community.llm.embedding.replies.append(fails(503))
    result = searched(community, "???")
    assert result["success"] is False and result["error"] == knowledge.SEARCH_FAILED


@pytest.mark.parametrize("words", [knowledge.PARTLY_SEARCHED_IN_VAIN, knowledge.SEARCH_FAILED])
def test_the_model_is_told_not_to_conclude_absence(words: str) -> None:
    assert "Do not conclude that something is absent" in words
