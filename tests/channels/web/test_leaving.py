"""Whoever leaves before a tool ran stops the turn; later the answer waits for them. Saying stop always stops."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

import httpx
import pytest

from apps.channels.web import listener
from apps.channels.web.stream import LineFeed, LineStream
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant, TenantChannel
from tests.channels.script import WAIT, Gate, Step, step_of
from tests.channels.web.chat_client import ChatClient, until
from tests.plugins.community import Community

ANSWER = "Guests may come until ten (see Guests)."
TURN = "turn-00000001"


@contextlib.contextmanager
def held_at(step: Step, community: Community) -> Iterator[Gate]:
    gate = Gate(step, ANSWER)
    community.llm.answer_with(gate)
    try:
        yield gate
    finally:
        gate.open()


def _leave(chat: ChatClient, gate: Gate, community: Community) -> None:
    lines = chat.stream("May I bring a guest?", thread_key="t1", turn_id=TURN)
    next(lines)
    assert gate.reached.wait(WAIT)
    lines.close()  # type: ignore[attr-defined]
    hears = listener.find(community.tenant.pk, TURN)
    assert hears is not None
    until(hears.left)


def _answered(chat: ChatClient) -> str:
    until(lambda: len(chat.conversation(thread_key="t1")) == 2)
    return str(chat.conversation(thread_key="t1")[-1]["text"])


def test_leaving_before_a_tool_ran_stops_the_turn(chat: ChatClient, community: Community) -> None:
    with held_at("plan", community) as gate:
        _leave(chat, gate, community)
    assert _answered(chat) != ANSWER
    assert {step_of(request.body) for request in community.llm.requests if "messages" in request.body} == {
        "plan"
    }


def test_leaving_after_a_tool_ran_leaves_the_answer_in_the_conversation(
    chat: ChatClient, community: Community
) -> None:
    with held_at("enough", community) as gate:
        _leave(chat, gate, community)
    assert _answered(chat) == ANSWER
    assert chat.conversation(thread_key="t1")[-1]["sources"]


@pytest.mark.parametrize("step", ["plan", "enough", "answer"])
def test_saying_stop_ends_the_turn_at_once(chat: ChatClient, community: Community, step: Step) -> None:
    with held_at(step, community) as gate:
        lines = chat.stream("May I bring a guest?", turn_id=TURN)
        next(lines)
        assert gate.reached.wait(WAIT)
        assert chat.cancel(TURN)
    *_, last = lines
    assert last["success"] is False
    assert last["response"] != ANSWER
    assert last["sources"] == []


def test_only_the_community_itself_stops_its_turns(
    chat: ChatClient, community: Community, other_tenant: Tenant, site: str
) -> None:
    with tenant_context(other_tenant):
        TenantChannel.objects.create(type="web", secrets={"access_token": "mill-token"})
    with held_at("plan", community) as gate:
        lines = chat.stream("May I bring a guest?", turn_id=TURN)
        next(lines)
        assert gate.reached.wait(WAIT)
        assert not ChatClient(site, "mill-token", slug="mill").cancel(TURN)
    *_, last = lines
    assert last["response"] == ANSWER


def test_stopping_what_does_not_run_is_no_error(chat: ChatClient) -> None:
    assert not chat.cancel("turn-unknown")


class SlowToBegin(LineStream):
    """Holds the server between the view and the first line, long enough for a caller to leave."""

    def __init__(self, feed: LineFeed, hears: listener.WebListener) -> None:
        super().__init__(feed, hears)
        time.sleep(0.6)


def test_leaving_just_before_the_first_line_counts_as_leaving(
    community: Community, web_channel: TenantChannel, site: str, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.channels.web.views.LineStream", SlowToBegin)
    with held_at("plan", community) as gate:
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(
                f"{site}/web/harbour/messages/stream",
                json={"message": "May I bring a guest?", "turn_id": TURN},
                headers={"Authorization": f"Bearer {token}"},
                timeout=0.3,
            )
        assert gate.reached.wait(WAIT)
        hears = listener.find(community.tenant.pk, TURN)
        assert hears is not None
        until(hears.left)
