"""Three workspaces behind one address, told apart by their tokens: the same people, channels and times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.conf import settings

from tests.fakes.slack import FakeSlack, channel, person

CHANNEL, OLD_CHANNEL, GENERAL = "C0GEN", "C0OLD", "C0GENERAL"
ADA, BO = "U0ADA", "U0BO"
TS = "1790000000.000100"
LATER = "1790000001.000100"
LINK = f"https://club.slack.com/archives/{GENERAL}/p{TS.replace('.', '')}"
FILE = "/files/notes.txt"
LINE = "At {marker} the terrace door stays open until the last guest has gone home."


def token(marker: str) -> str:
    return f"xoxb-{marker}"


def at(number: int) -> str:
    """The time of message number so-and-so, the same in all workspaces."""
    return f"{1_790_000_000 + number}.000100"


@contextmanager
def workspaces(markers: Sequence[str]) -> Iterator[dict[str, FakeSlack]]:
    """Root speaks to the one address; by marker, what stands behind it."""
    before = settings.ENV
    with FakeSlack(token="xoxb-nobody") as hub:
        found = {marker: _filled(marker, hub) for marker in markers}
        settings.ENV = before.model_copy(update={"slack_api_url": hub.api_url})
        try:
            yield found
        finally:
            settings.ENV = before


def _filled(marker: str, hub: FakeSlack) -> FakeSlack:
    slack = FakeSlack(token=token(marker))
    hub.neighbours[slack.token] = slack
    slack.people.update({ADA: person(f"Ada {marker}"), BO: person(f"Bo {marker}")})
    slack.channels.update(
        {
            CHANNEL: channel(f"general-{marker}"),
            OLD_CHANNEL: channel(f"old-{marker}"),
            GENERAL: channel(f"talk-{marker}"),
        }
    )
    slack.post(GENERAL, ADA, f"The kiln of {marker} is warm, and its door code is new.", ts=TS)
    slack.post(GENERAL, ADA, f"Again the kiln of {marker} cools over night.", ts=LATER)
    slack.files[FILE] = ("text/plain", f"Notes of {marker}".encode())
    said = LINE.format(marker=marker)
    for number in (1, 2):
        slack.post(OLD_CHANNEL, ADA, f"{said} Number {number}.", ts=at(number))
    for number in (3, 4):
        slack.post(OLD_CHANNEL, BO, f"{said} Reply {number}.", ts=at(number), thread_ts=at(1))
    slack.post(CHANNEL, BO, f"{said} What a thread began with.", ts=at(50))
    return slack
