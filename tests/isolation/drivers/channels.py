"""The conversations coming in: the web chat's own work, and the development harness."""

from __future__ import annotations

from apps.channels.dev.simulate import SimulateBody, simulate
from apps.channels.turn_pool import turn_pool
from apps.channels.web import admission, chat, listener
from apps.channels.web.bodies import MessageBody, ThreadQuery
from tests.isolation.cast import EMAIL, SLACK, Community
from tests.isolation.scripted import QUESTION

TURN_ID = "turn-of-everybody"


def web_chat(community: Community) -> object:
    """In the pool's threads, under one thread key, one address and one turn id."""
    hears = listener.listen(community.tenant.pk, TURN_ID)
    body = MessageBody(
        message=QUESTION.format(marker=community.marker),
        email=EMAIL,
        thread_key="same-thread",
        turn_id=TURN_ID,
    )
    outcome = turn_pool().submit(lambda: chat.answer(community.tenant, body, listener=hears)).result(60)
    assert listener.find(community.tenant.pk, TURN_ID) is hears
    said = chat.conversation(community.tenant, ThreadQuery(thread_key="same-thread", email=EMAIL))
    assert said["messages"]
    return [outcome, said, admission.open_channel(community.slug)]


def one_listener_stops(community: Community) -> object:
    """A cancel names a turn; the same id elsewhere goes on."""
    hears = listener.listen(community.tenant.pk, TURN_ID)
    if community.slug == "mill":
        assert listener.cancel(community.tenant.pk, TURN_ID)
    assert hears.cancelled() is (community.slug == "mill")
    return None


def simulated(community: Community) -> object:
    question = QUESTION.format(marker=community.marker)
    body = SimulateBody(tenant=community.slug, message=question, slack_user_id=SLACK, user_name="Ada")
    return simulate(community.tenant, body)


DRIVERS = (web_chat, one_listener_stops, simulated)
