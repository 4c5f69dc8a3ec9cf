"""Turns of every tier: the text of a mentors' page stands in no request at the model but a mentor's own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from apps.agent.turns import Caller
from apps.knowledge import frequencies
from apps.knowledge.pages import save_page
from apps.tenancy.context import tenant_context
from tests.agent.asking import ask
from tests.fakes.llm import Reply, calls, says
from tests.plugins.community import Community

SECRET = "The stipend of a mentor is ninety guilders"
ASKERS: dict[str, dict[str, Any]] = {
    "member": {"caller": Caller(email="ada@harbour.example")},
    "mentor": {"caller": Caller(email="mo@harbour.example")},
    "partner": {"caller": Caller(email="lin@elsewhere.example")},
    "unresolved": {"caller": Caller(slack_user_id="U0NOBODY"), "channel": "slack"},
    "public": {"caller": Caller(email="nobody@elsewhere.example"), "channel": "email"},
}


def _reread(request: dict[str, Any], _headers: Mapping[str, str]) -> Reply:
    shown = json.loads(request["messages"][-1]["content"])["results"]
    return says(json.dumps({"scores": [{"id": result["id"], "score": 5} for result in shown]}))


@pytest.mark.parametrize("tier", ASKERS)
def test_a_mentors_page_reaches_mentors_only(community: Community, tier: str) -> None:
    with tenant_context(community.tenant):
        for number in range(3):
            save_page(title=f"Open {number}", content_text=f"A stipend of kind {number} is paid by the city.")
        parts = "".join(f"<h2>Part {number}</h2><p>{SECRET} in year {number}.</p>" for number in range(4))
        save_page(title="Stipends", content_html=parts, audience_tiers=["mentor"])
        frequencies.refresh()
    community.llm.answer_with(_reread, purpose="search_rerank")
    community.llm.reply(
        calls(("search_knowledge_base", {"query": "stipend of a mentor"})),
        says("That is enough to answer this."),
        says("This is what there is to be said about it."),
    )
    community.llm.requests.clear()
    ask(community, "what about the stipend?", **ASKERS[tier])
    captured = json.dumps([request.body for request in community.llm.requests])
    assert (SECRET in captured) is (tier == "mentor")
    if tier in {"member", "mentor", "partner"}:
        assert "Open 0" in captured and any(r.purpose == "search_rerank" for r in community.llm.requests)
