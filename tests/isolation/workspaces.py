"""One address of Slack for three workspaces: the token says whose it is; their ids are all the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.conf import settings

from tests.fakes.slack import Called, FakeSlack, channel, person
from tests.isolation.cast import SLACK, Community

GENERAL = "C0GENERAL"
TS = "1790000000.000100"
LATER = "1790000001.000100"
LINK = f"https://club.slack.com/archives/{GENERAL}/p{TS.replace('.', '')}"


class _Slack(FakeSlack):
    """Answers each call as the workspace of its token would."""

    def __init__(self) -> None:
        super().__init__()
        self.of: dict[str, FakeSlack] = {}

    def answer(self, call: Called) -> Any:
        return self.of[call.token].answer(call)


def token_of(community: Community) -> str:
    return f"xoxb-{community.marker}"


@contextmanager
def workspaces(cast: Sequence[Community]) -> Iterator[None]:
    """Each with the same person, channel and message times, and words of its own."""
    before = settings.ENV
    with _Slack() as slack:
        slack.of = {token_of(each): _workspace(each) for each in cast}
        settings.ENV = before.model_copy(update={"slack_api_url": slack.api_url})
        try:
            yield
        finally:
            settings.ENV = before


def _workspace(community: Community) -> FakeSlack:
    mine = FakeSlack(token=token_of(community))
    mine.people[SLACK] = person(f"Ada {community.marker}")
    mine.channels[GENERAL] = channel(f"general-{community.marker}")
    mine.post(GENERAL, SLACK, f"The kiln of {community.marker} is warm, and its door code is new.", ts=TS)
    mine.post(GENERAL, SLACK, f"Again the kiln of {community.marker} cools over night.", ts=LATER)
    return mine
