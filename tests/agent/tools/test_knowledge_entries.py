"""``save_knowledge_entry``: on offer in direct messages of people the community recognizes, nowhere else."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from apps.agent.tools import knowledge_entries
from apps.agent.tools.declaration import ToolUse
from apps.agent.tools.surface import surface_for
from apps.knowledge.models import KnowledgePage
from apps.knowledge.pages import save_page
from tests.agent.people import known, stranger

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("llm", "in_tenant")]


def offered(person: Any, *, channel: Any = "slack", place: str | None = "D1") -> Any:
    here = surface_for(person, channel=channel, message="hi", integrations=[], slack_channel_id=place)
    return next((tool for tool in here.tools if tool.name == knowledge_entries.NAME), None)


def used(person: Any, **arguments: Any) -> dict[str, Any]:
    use = ToolUse(invocation_id=uuid4(), report_progress=lambda _said: None)
    result: dict[str, Any] = offered(person).execute(arguments, use)
    return result


@pytest.mark.parametrize(
    ("channel", "place", "there"),
    [
        ("slack", "D1", True),
        ("slack", "C1", False),
        ("slack", "G1", False),
        ("slack", None, False),
        ("web", None, False),
        ("web", "D1", False),
        ("email", None, False),
        ("api", "D1", False),
    ],
)
def test_where_it_is_on_offer(channel: Any, place: str | None, there: bool) -> None:
    assert (offered(known(channel=channel), channel=channel, place=place) is not None) is there


def test_people_nobody_vouches_for_save_nothing() -> None:
    assert offered(stranger()) is None and offered(known(tier="unresolved")) is None


def test_it_saves_and_replaces_and_says_so() -> None:
    first = used(known(), title="Sauna", content="Two towels.", category=None, update_slug=None)
    assert first["data"] == {"status": "saved", "slug": "sauna", "title": "Sauna"}
    again = used(known(), title="Sauna", content="Three towels.", update_slug="sauna")
    assert again["data"]["status"] == "updated"
    assert KnowledgePage.objects.get().content_text == "Three towels."
    assert offered(known()).mutates


def test_a_page_of_somebody_else_is_refused_with_a_sentence() -> None:
    save_page(title="Guests", slug="guests", content_text="Until ten.")
    result = used(known(), title="Guests", content="Always.", update_slug="guests")
    assert (result["success"], result["code"]) == (False, "not_found") and result["error"]
    assert KnowledgePage.objects.get().content_text == "Until ten."
