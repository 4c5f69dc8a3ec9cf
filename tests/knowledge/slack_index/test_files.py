"""What files and pictures of messages show."""

from __future__ import annotations

from typing import Any

import pytest

from apps.knowledge.models import ProcessedSlackMessage, SlackMessageEnrichment
from apps.knowledge.slack_index.events import offer
from apps.knowledge.slack_index.seeing import PURPOSE
from apps.tenancy.models import QueueJob
from tests.fakes.llm import fails, says
from tests.fakes.slack import TOKEN, FakeSlack
from tests.knowledge.slack_index.conftest import LONG, at, event, work

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 32
PATH = "/files-pri/plan.png"


@pytest.fixture
def picture(slack: FakeSlack) -> dict[str, Any]:
    slack.files[PATH] = ("image/png", PNG)
    return {"id": "F1", "title": "plan.png", "mimetype": "image/png", "url_private": slack.file_url(PATH)}


def the_row() -> ProcessedSlackMessage:
    row: ProcessedSlackMessage = ProcessedSlackMessage.objects.get()
    return row


def test_a_picture_is_described_beside_the_words(slack: FakeSlack, llm: Any, picture: dict[str, Any]) -> None:
    llm.reply(says("A plan of pier nine\nwith the crane marked K7."), purpose=PURPOSE)
    offer(event(1, files=[picture]))
    work()
    assert (
        SlackMessageEnrichment.objects.get().summary
        == "plan.png: A plan of pier nine with the crane marked K7."
    )
    row = the_row()
    assert row.message_text == f"{LONG}\n\nAttached: plan.png: A plan of pier nine with the crane marked K7."
    assert "cranemarkedk7" in row.normalized_text and row.embedding is not None
    assert slack.downloads == [(PATH, f"Bearer {TOKEN}")]
    asked = next(request for request in llm.requests if request.purpose == PURPOSE)
    assert asked.body["messages"][-1]["content"][1]["type"] == "image_url"


def test_it_is_described_once(slack: FakeSlack, llm: Any, picture: dict[str, Any]) -> None:
    llm.reply(says("A plan of pier nine."), purpose=PURPOSE)
    offer(event(1, files=[picture]))
    work()
    told = {"type": "message", "subtype": "message_changed", "channel": "C0GEN", "channel_type": "channel"}
    now = {"user": "U0ADA", "text": "Another text about the same plan.", "ts": at(1), "edited": {"ts": at(9)}}
    offer({**told, "message": {**now, "files": [picture]}, "previous_message": {"text": LONG}})
    work()
    assert the_row().message_text == (
        "Another text about the same plan.\n\nAttached: plan.png: A plan of pier nine."
    )
    offer({**told, "message": {**now, "edited": {"ts": at(10)}}, "previous_message": {"text": LONG}})
    work()
    assert the_row().message_text == "Another text about the same plan."
    assert SlackMessageEnrichment.objects.count() == 0


def test_a_text_file_is_read_and_an_unreadable_one_named(slack: FakeSlack, llm: Any) -> None:
    slack.files["/notes.txt"] = ("text/plain", b"The crane is inspected on 4 May.")
    llm.reply(says("Inspection dates of the crane."), purpose=PURPOSE)
    files = [
        {"name": "notes.txt", "mimetype": "text/plain", "url_private": slack.file_url("/notes.txt")},
        {"name": "budget.pdf", "mimetype": "application/pdf", "url_private": slack.file_url("/budget.pdf")},
    ]
    offer(event(1, files=files))
    work()
    assert (
        SlackMessageEnrichment.objects.get().summary
        == "notes.txt: Inspection dates of the crane.\nbudget.pdf"
    )
    assert "inspected on 4 May" in llm.requests[0].text or "inspected on 4 May" in llm.requests[-1].text
    assert [path for path, _ in slack.downloads] == ["/notes.txt"]


@pytest.mark.parametrize(
    "address",
    [
        "http://169.254.169.254/latest/",
        "http://files.slack.com/plan.png",
        "https://slack.com.evil.example/plan.png",
        "https://evilslack.com/plan.png",
        "https://user@evil.example/plan.png",
        "http://127.0.0.1:1/plan.png",
        "file:///etc/hosts",
        "https://[::1",
        "",
    ],
)
def test_the_token_goes_to_slack_alone(slack: FakeSlack, llm: Any, address: str) -> None:
    offer(event(1, files=[{"name": "plan.png", "mimetype": "image/png", "url_private": address}]))
    work()
    assert the_row().message_text.endswith("Attached: plan.png")
    assert slack.downloads == [] and llm.unexpected == []


def test_a_page_to_sign_in_is_no_picture(slack: FakeSlack, llm: Any, picture: dict[str, Any]) -> None:
    slack.files[PATH] = ("text/html", b"<html>Sign in</html>")
    offer(event(1, files=[picture]))
    work()
    assert the_row().message_text == LONG
    assert QueueJob.objects.get().state == "done"


def test_a_model_that_is_away_is_asked_again_and_the_message_is_there_meanwhile(
    slack: FakeSlack, llm: Any, picture: dict[str, Any]
) -> None:
    llm.reply(fails(402), purpose=PURPOSE)
    offer(event(1, files=[picture]))
    work()
    assert (the_row().message_text, QueueJob.objects.get().state) == (LONG, "retrying")
    llm.reply(says("A plan."), purpose=PURPOSE)
    work()
    assert the_row().message_text.endswith("plan.png: A plan.")
