"""What members may do about their own messages."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from apps.foundation.errors import BadInput, Forbidden, NotFound
from apps.integrations.person import ResolvedPerson
from apps.knowledge.models import ProcessedSlackMessage
from apps.knowledge.retrieval.slack import search_messages
from apps.knowledge.slack_index.contributions import (
    add_contribution,
    list_contributions,
    refresh_contribution,
    remove_contribution,
)
from tests.fakes.slack import FakeSlack, channel
from tests.knowledge.retrieval.slack.test_permalinks import link
from tests.knowledge.slack_index.conftest import GENERAL, LONG, at

pytestmark = pytest.mark.django_db


def person(slack_id: str | None = "U0ADA") -> ResolvedPerson:
    return ResolvedPerson(
        principal=None,
        ref="p-ada",
        display_name="Ada",
        tier="member",
        access_level="member",
        slack_user_id=slack_id,
    )


ADA = person()


def refs(question: str) -> list[str]:
    return [match.ref for match in search_messages(question, rerank=False).matches]


@pytest.fixture
def added(slack: FakeSlack, llm: Any) -> str:
    slack.post(GENERAL, "U0ADA", LONG, ts=at(1))
    changed = add_contribution(ADA, link(1))
    assert changed.state == "added" and changed.contribution is not None
    return str(changed.contribution.id)


def test_an_own_message_is_added_and_found(added: str) -> None:
    assert refs("pier nine") == [f"message:{GENERAL}:{at(1)}"]
    [listed] = list_contributions(ADA)
    assert (str(listed.id), listed.text, listed.channel) == (added, LONG, "general")


def test_adding_again_changes_nothing(added: str) -> None:
    assert add_contribution(ADA, link(1)).state == "already_there"
    assert ProcessedSlackMessage.objects.count() == 1


def test_removed_is_out_of_every_search_and_not_out_of_slack(added: str, slack: FakeSlack) -> None:
    assert remove_contribution(ADA, added) == []
    assert refs("pier nine") == [] and list_contributions(ADA) == []
    assert [call.method for call in slack.calls if "delete" in call.method] == []
    assert add_contribution(ADA, link(1)).state == "added"
    assert refs("pier nine") == [f"message:{GENERAL}:{at(1)}"]


def test_refreshing_follows_an_edit(added: str, slack: FakeSlack) -> None:
    assert refresh_contribution(ADA, added).state == "unchanged"
    slack.messages[GENERAL][0] |= {"text": "The office stays at pier four.", "edited": {"ts": at(5)}}
    changed = refresh_contribution(ADA, added)
    assert changed.state == "refreshed" and changed.contribution is not None
    assert changed.contribution.text == "The office stays at pier four."


def test_what_is_gone_in_slack_leaves_the_index(added: str, slack: FakeSlack) -> None:
    slack.messages[GENERAL].clear()
    assert refresh_contribution(ADA, added).state == "deleted_in_slack"
    assert refs("pier nine") == [] and not ProcessedSlackMessage.objects.filter(message_text=LONG).exists()


def test_others_messages_are_not_theirs(added: str, slack: FakeSlack) -> None:
    slack.post(GENERAL, "U0MO", LONG, ts=at(2))
    with pytest.raises(Forbidden):
        add_contribution(ADA, link(2))
    for change in (remove_contribution, refresh_contribution):
        with pytest.raises(NotFound):
            change(person("U0MO"), added)
    assert list_contributions(person("U0MO")) == []


@pytest.mark.parametrize("given", ["", "not an id", str(uuid4()), "' OR 1=1 --", "\x00"])
def test_an_unknown_id_is_not_there(slack: FakeSlack, given: str) -> None:
    for change in (remove_contribution, refresh_contribution):
        with pytest.raises(NotFound):
            change(ADA, given)


def test_only_links_to_public_messages_that_exist(slack: FakeSlack, llm: Any) -> None:
    slack.channels["C0SECRET"] = channel("secret", is_private=True, is_group=True)
    slack.post("C0SECRET", "U0ADA", LONG, ts=at(1))
    with pytest.raises(Forbidden):
        add_contribution(ADA, link(1, channel_id="C0SECRET"))
    with pytest.raises(BadInput):
        add_contribution(ADA, "https://example.com/")
    with pytest.raises(NotFound):
        add_contribution(ADA, link(9))
    slack.post(GENERAL, "U0ADA", "ok", ts=at(3))
    with pytest.raises(BadInput):
        add_contribution(ADA, link(3))
    assert not ProcessedSlackMessage.objects.exists()


def test_without_a_slack_account_there_are_none(slack: FakeSlack) -> None:
    with pytest.raises(Forbidden):
        list_contributions(person(None))
    with pytest.raises(Forbidden):
        add_contribution(person(None), link(1))
