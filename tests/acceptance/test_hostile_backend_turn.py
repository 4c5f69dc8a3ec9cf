"""A member's turn through a backend that breaks the rules ends honestly, and the escalation arrives all the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import apps.agent.jobs  # noqa: F401 - registers the handler
from apps.agent.models import ConversationLog, HumanIntervention
from apps.foundation import ttl_cache
from apps.integrations.connect import connect
from apps.tenancy import jobs
from apps.tenancy.context import tenant_context
from apps.tenancy.models import IntegrationToolCall, Tenant
from tests.agent.asking import ask
from tests.fakes.hostile_backend import (
    Behaviour,
    HostileBackend,
    endless,
    gzip_bomb,
    lines,
    reply,
    reset_after,
    silent,
    stream,
)
from tests.fakes.llm import calls, says
from tests.plugins.community import Community

SECRET = "hostile-secret"
ESCALATIONS = "/integration/escalations"
ADA = {
    "principal_ref": "p-ada",
    "display_name": "Ada",
    "tier": "member",
    "email": "ada@harbour.example",
}
MANIFEST = {
    "protocol": "root-int/1",
    "name": "hostile",
    "access_tiers": ["member"],
    "tools": [{"name": "book_room", "description": "Books a room.", "tiers": ["member"], "timeout_ms": 400}],
}
ESCALATED = {"escalation_reason": "The booking system failed.", "user_request_summary": "Book the loft"}
ANSWER = "I could not find out whether the loft was booked, so I have passed it to the team."


@pytest.fixture
def hostile(committed_db: None, tenant: Tenant, llm: Any) -> Iterator[HostileBackend]:
    with HostileBackend(secret=SECRET) as running:
        running.polite = {
            "/integration/manifest": MANIFEST,
            "/integration/identity/resolve": {"principal": ADA},
            ESCALATIONS: {"success": True},
        }
        with tenant_context(tenant):
            assert connect("house", base_url=running.url, signing_secret=SECRET).problem == ""
        ttl_cache.clear_all()
        yield running


BROKEN: list[Any] = [
    pytest.param(silent, 1, id="silence"),
    pytest.param(endless(b" " * 65_536), 1, id="endless body"),
    pytest.param(gzip_bomb(50), 1, id="gzip bomb"),
    pytest.param(reset_after, 1, id="reset in the body"),
    pytest.param(stream(*lines({"type": "progress", "message": f"using {SECRET}"})), 1, id="no result"),
    pytest.param(reply({"success": "yes"}), 1, id="wrong type"),
    pytest.param(reply({}, status=502), 3, id="502 for ever"),
]


@pytest.mark.parametrize(("behaviour", "attempts"), BROKEN)
def test_the_turn_says_what_is_not_known_and_the_team_hears_of_it(
    hostile: HostileBackend, tenant: Tenant, llm: Any, behaviour: Behaviour, attempts: int
) -> None:
    hostile.behave(behaviour)
    llm.reply(
        calls(("book_room", {"room": "Loft"})),
        calls(("escalate_to_admin", ESCALATED)),
        says(ANSWER),
        says(ANSWER),
    )
    outcome = ask(Community(tenant=tenant, backend=hostile, llm=llm), "book the loft")  # type: ignore[arg-type]
    jobs.run_due("notifications")

    assert outcome.success and outcome.response == ANSWER
    assert [(call.name, call.success) for call in outcome.tool_calls] == [
        ("book_room", False),
        ("escalate_to_admin", True),
    ]
    read = llm.chats[1].text
    assert "Whether the action was carried out is not known." in read
    assert all(word not in read for word in ("HTTP 5", "bad_response", SECRET))
    with tenant_context(tenant):
        audit = IntegrationToolCall.objects.get()
        assert (audit.success, audit.attempts, audit.trace_id) == (False, attempts, outcome.trace_id)
        assert HumanIntervention.objects.get().metadata["sinks"]["integration"]["status"] == "delivered"
        rows = list(ConversationLog.objects.values_list("direction", "status", "metadata"))
    assert len(rows) == 2 and SECRET not in repr((rows, outcome, audit.error))
    sent = [asked for asked in hostile.asked if asked.path == ESCALATIONS]
    tried = [asked for asked in hostile.asked if asked.path == "/integration/tools/book_room"]
    assert (len(sent), len(tried)) == (1, attempts)
