"""``manage.py ask``: one turn from the command line, for people and for machines."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.agent.models import ConversationLog
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.fakes.llm import calls, fails, says
from tests.plugins.community import Community


def ask(*words: str) -> str:
    out = StringIO()
    call_command("ask", *words, stdout=out)
    return out.getvalue()


def script(community: Community) -> None:
    community.llm.reply(
        calls(("search_knowledge_base", {"query": "guests"}), ("search_members", {"query": "guests"})),
        says("Enough was found to answer this."),
        says("Until ten in the evening, say the Guests."),
    )


def test_people_read_answer_sources_tools_and_usage(community: Community) -> None:
    script(community)
    printed = ask("guests?", "--as", "ada@harbour.example")
    assert printed.startswith("Until ten in the evening")
    for part in ("source  Guests", "tool    search_members done", "used    3 model calls", "trace   "):
        assert part in printed


def test_machines_read_json(community: Community) -> None:
    script(community)
    told: dict[str, Any] = json.loads(
        ask("guests?", "--tenant", "harbour", "--slack-user", "U0ADA", "--json")
    )
    assert told["success"] is True and told["usage"]["llm_calls"] == 3
    assert [source["ref"] for source in told["sources"]] == ["guests", "search_members"]
    with tenant_context(community.tenant):
        assert set(ConversationLog.objects.values_list("channel", flat=True)) == {"slack"}


def test_replay_leaves_no_trace_in_the_log(community: Community) -> None:
    script(community)
    ask("guests?", "--as", "ada@harbour.example", "--replay")
    with tenant_context(community.tenant):
        assert not ConversationLog.objects.exists()


def test_mistakes_are_answered_with_a_sentence(community: Community, other_tenant: Tenant) -> None:
    with pytest.raises(CommandError, match="no such community"):
        ask("hi", "--tenant", "nowhere")
    with pytest.raises(CommandError, match="several communities"):
        ask("hi")
    with pytest.raises(CommandError, match="empty"):
        ask("  ", "--tenant", "harbour")
    with pytest.raises(CommandError):
        ask("hi", "--as", "a@b.example", "--slack-user", "U1")


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_a_turn_that_fails_is_printed_and_exits_with_1(community: Community, flags: list[str]) -> None:
    community.llm.answer_with(lambda _request, _headers: fails(401))
    out = StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("ask", "guests?", *flags, stdout=out)
    assert caught.value.returncode == 1
    printed = json.loads(out.getvalue())["response"] if flags else out.getvalue().splitlines()[0]
    assert len(printed) > 20
