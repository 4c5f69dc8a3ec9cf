"""A person's Slack messages in the index, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant, TenantChannel
from apps.tenancy.principals import PersonFacts, upsert
from tests.api.v1.knowledge_api import Answer, Api, api_of
from tests.fakes.slack import TOKEN, FakeSlack, channel, person

GENERAL = "C0GEN"
LONG = "The harbour office moves to pier nine next Tuesday at seven in the morning."
ADA = {"ref": "p-ada"}
PATH = "/slack/contributions"


def link(number: int) -> str:
    return f"https://harbour.slack.com/archives/{GENERAL}/p{1_790_000_000 + number}000100"


@pytest.fixture
def slack(committed_db: None, tenant: Tenant, llm: Any, settings: Any) -> Iterator[FakeSlack]:
    with FakeSlack() as running, tenant_context(tenant):
        settings.ENV = settings.ENV.model_copy(update={"slack_api_url": running.api_url})
        TenantChannel.objects.create(type="slack", secrets={"bot_token": TOKEN})
        upsert(PersonFacts(ref="p-ada", tier="member", slack_user_id="U0ADA"))
        upsert(PersonFacts(ref="p-mo", tier="member", slack_user_id="U0MO"))
        upsert(PersonFacts(ref="p-lin", tier="member"))
        running.people.update(U0ADA=person("Ada"), U0MO=person("Mo"))
        running.channels[GENERAL] = channel("general")
        for number in range(1, 4):
            running.post(GENERAL, "U0ADA", f"{LONG} {number}", ts=f"{1_790_000_000 + number}.000100")
        yield running


@pytest.fixture
def api(slack: FakeSlack, tenant: Tenant) -> Api:
    return api_of(tenant)


def add(api: Api, number: int = 1, **principal: str) -> Answer:
    return api.post(PATH, {"principal": principal or ADA, "permalink": link(number)})


def test_added_listed_refreshed_and_removed(api: Api, slack: FakeSlack) -> None:
    first = add(api)
    assert (first.status, first.body["status"]) == (201, "added")
    assert (add(api).status, add(api, 2, slack_user_id="U0ADA").status) == (200, 201)
    listed = api.get(f"{PATH}?ref=p-ada&limit=1").body
    rest = api.get(f"{PATH}?ref=p-ada&cursor={listed['next_cursor']}").body
    assert [each["text"][-1] for each in listed["items"] + rest["items"]] == ["2", "1"]

    own = f"{PATH}/{first.body['contribution']['id']}"
    slack.messages[GENERAL][0] |= {
        "text": "The office stays at pier four.",
        "edited": {"ts": "1790000009.0001"},
    }
    refreshed = api.post(f"{own}/refresh", {"principal": ADA})
    assert (refreshed.status, refreshed.body["status"]) == (200, "refreshed")
    assert refreshed.body["contribution"]["text"] == "The office stays at pier four."

    assert api.delete(f"{own}?ref=p-ada").body == {"entries_drawn_from_it": []}
    assert api.delete(f"{own}?ref=p-ada").code == "not_found"
    assert api.post(f"{own}/refresh", {"principal": ADA}).code == "not_found"


def test_only_their_author_reaches_them(api: Api, other_tenant: Tenant) -> None:
    own = f"{PATH}/{add(api).body['contribution']['id']}"
    assert api.delete(f"{own}?ref=p-mo").code == "not_found"
    assert api.post(f"{own}/refresh", {"principal": {"slack_user_id": "U0MO"}}).code == "not_found"
    assert add(api, 2, ref="p-mo").code == "forbidden"
    assert api.get(f"{PATH}?ref=p-mo").body["items"] == []
    assert api.get(f"{PATH}?ref=p-lin").code == "forbidden"
    assert api.get(f"{PATH}?ref=p-nobody").code == "not_found"
    other = api_of(other_tenant)
    assert other.delete(f"{own}?slack_user_id=U0ADA").code == "not_found"
    assert other.get(f"{PATH}?slack_user_id=U0ADA").body["items"] == []
    assert api.delete(f"{PATH}/{uuid4()}?ref=p-ada").code == "not_found"


def test_what_slack_does_not_have_or_say(api: Api, slack: FakeSlack) -> None:
    assert add(api, 9).code == "not_found"
    slack.object_to("conversations.history", retry_after=30)
    answer = add(api, 3)
    assert (answer.status, answer.code) == (503, "ratelimited")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"principal": ADA},
        {"permalink": link(1)},
        {"principal": {}, "permalink": link(1)},
        {"principal": {**ADA, "email": "ada@harbour.example"}, "permalink": link(1)},
        {"principal": ADA, "permalink": "https://example.com/a"},
        {"principal": ADA, "permalink": f"see {link(1)}"},
    ],
)
def test_what_does_not_fit_is_refused(api: Api, body: dict[str, Any]) -> None:
    assert api.post(PATH, body).code == "bad_input"


@pytest.mark.parametrize("query", ["", "?ref=p-ada&email=a@b.example", "?limit=3", "?ref="])
def test_exactly_one_person_is_named(api: Api, query: str) -> None:
    assert api.get(f"{PATH}{query}").code == "bad_input"
    assert api.delete(f"{PATH}/{uuid4()}{query}").code == "bad_input"
