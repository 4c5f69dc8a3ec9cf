"""A turn speaks the imported words, from the first request to the last."""

from __future__ import annotations

from pathlib import Path

from apps.agent.prompts.registry import BASE
from apps.agent.turns import Caller, TurnRequest, run_turn
from apps.tenancy.context import tenant_context
from tests.agent.playbook.files import exported, imported
from tests.agent.playbook.rewording import reworded
from tests.fakes.llm import calls, says
from tests.plugins.community import Community


def test_a_turn_speaks_the_imported_words(tmp_path: Path, community: Community) -> None:
    imported(tmp_path, reworded(exported(tmp_path)))
    community.llm.reply(calls(("search_members", {"query": "pricing"})))
    community.llm.reply(calls(("search_members", {"query": "masts"})), says("Ines Prado knows pricing."))
    with tenant_context(community.tenant):
        run_turn(TurnRequest(message="who?", channel="web", caller=Caller(email="ada@harbour.example")))
    first, second, answer = (request.body["messages"] for request in community.llm.chats)
    assert first[0]["content"].startswith(f"<{BASE}>")
    assert first[-1]["content"].startswith("<phase planning> 1 2")
    assert "<phase last_planning>" not in first[-1]["content"]
    assert second[-1]["content"].startswith("<phase planning> 2 2\n<phase last_planning>")
    assert answer[-1]["content"].startswith("<phase answer>")
