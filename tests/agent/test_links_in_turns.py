"""A turn in which a link is given: the person gets it whole, and nothing that is kept of the turn opens the page."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from django.db import connection
from django.test import Client

from apps.agent.models import ConversationLog
from apps.agent.turns import Caller
from apps.tenancy.context import tenant_context
from tests.agent.asking import ask
from tests.fakes.llm import Reply, calls, says
from tests.plugins.community import Community

ADDRESS = re.compile(r"http[^\s\"]+/kb/harbour/[^\s\"]+")


def _give(request: dict[str, Any], _headers: Mapping[str, str]) -> Reply:
    results = [m["content"] for m in request["messages"] if m["role"] == "tool"]
    if not results:
        return calls(("get_knowledge_page_link", {"slug_or_url": "guests"}))
    return says("Here is the page: " + ADDRESS.findall(results[-1])[0])


def test_the_link_works_and_is_not_kept(community: Community) -> None:
    community.llm.answer_with(_give)
    outcome = ask(community, "give me the page", caller=Caller(email="ada@harbour.example"))
    [address] = ADDRESS.findall(outcome.response)
    path, _, token = address.partition("?token=")
    path = path[path.index("/kb/") :]
    assert token

    with tenant_context(community.tenant):
        logged = ConversationLog.objects.get(direction="outbound").message_text
    assert path in logged
    assert [table for table in _tables() if _holds(table, token)] == []

    client = Client()
    assert client.get(f"{path}?token={token}", follow=True).status_code == 200
    assert Client().get(f"{path}?token={token}").status_code == 403


def test_a_link_somebody_writes_to_us_is_not_kept_either(community: Community) -> None:
    community.llm.reply(says("I cannot open it."))
    token = "t" * 43
    ask(community, f"what is https://root.example/kb/harbour/abc?token={token}")
    with tenant_context(community.tenant):
        assert token not in json.dumps(list(ConversationLog.objects.values_list("message_text", flat=True)))


def _tables() -> list[str]:
    return connection.introspection.table_names()


def _holds(table: str, token: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            f'SELECT EXISTS (SELECT 1 FROM "{table}" t WHERE position(%s in t::text) > 0)', [token]
        )
        return bool(cursor.fetchone()[0])
