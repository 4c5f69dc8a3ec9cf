"""``get_knowledge_page_link``: which address whom, and where none is given."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from apps.agent.opening import link_state
from apps.agent.tools import page_links
from apps.agent.tools.declaration import Tool, ToolUse
from apps.agent.tools.surface import Surface, surface_for
from apps.integrations.models import Integration
from apps.integrations.rootint.manifest import parse_manifest
from apps.integrations.rootint.registry import ActiveIntegration
from apps.knowledge.models import WebLinkToken
from apps.knowledge.pages import save_page
from apps.tenancy.models import Tenant
from tests.agent.people import known, stranger

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("llm", "in_tenant")]
PLACES: list[tuple[Any, str | None]] = [("web", None), ("api", None), ("email", None), ("slack", "D1")]


def surface(
    person: Any, *, channel: Any = "web", slack_channel_id: str | None = None, tiers: Any = ()
) -> Surface:
    manifest = parse_manifest({"protocol": "root-int/1", "access_tiers": list(tiers)})
    backend = ActiveIntegration(id=Integration().pk, name="house", manifest=manifest)
    return surface_for(
        person, channel=channel, message="hi", integrations=[backend], slack_channel_id=slack_channel_id
    )


def tool(here: Surface) -> Tool | None:
    return next((each for each in here.tools if each.name == page_links.NAME), None)


def asked(here: Surface, name: str) -> dict[str, Any]:
    offered = tool(here)
    assert offered is not None
    use = ToolUse(invocation_id=uuid4(), report_progress=lambda _said: None)
    return offered.execute({"slug_or_url": name}, use)


@pytest.mark.parametrize(("channel", "place"), PLACES)
def test_a_personal_link_for_whoever_asks(channel: Any, place: str | None) -> None:
    page = save_page(title="Pension", slug="pension", content_text="x").page
    person = known(channel=channel)
    data = asked(surface(person, channel=channel, slack_channel_id=place), "pension")["data"]
    assert f"/kb/harbour/{page.public_id}?token=" in data["url"] and data["access"] == "personal"
    [link] = WebLinkToken.objects.all()
    assert link.principal == person.principal and link.page == page


@pytest.mark.parametrize(("channel", "place"), [*PLACES, ("slack", "C1"), ("slack", None)])
def test_a_public_page_is_bare_everywhere(channel: Any, place: str | None) -> None:
    page = save_page(title="Guests", slug="guests", content_text="x", is_public=True).page
    data = asked(surface(known(channel=channel), channel=channel, slack_channel_id=place), "guests")["data"]
    assert data["url"].endswith(f"/kb/harbour/{page.public_id}") and data["access"] == "public"
    assert not WebLinkToken.objects.exists()


@pytest.mark.parametrize("place", ["C1", "G1", None, ""])
def test_where_others_read_along_no_personal_link_is_made(place: str | None) -> None:
    save_page(title="Pension", slug="pension", content_text="x")
    result = asked(surface(known(), channel="slack", slack_channel_id=place), "pension")
    assert (result["success"], result["code"]) == (False, "not_private")
    assert "url" not in str(result) and not WebLinkToken.objects.exists()


@pytest.mark.parametrize("tier", ["unresolved", "public", "public_email"])
def test_people_nobody_vouches_for_are_offered_no_links(tier: str) -> None:
    for person in (stranger(tier), known(tier="unresolved")):
        assert tool(surface(person, channel="slack", slack_channel_id="D1")) is None


def test_a_backend_that_opens_it_to_them_opens_public_pages_only() -> None:
    save_page(title="Pension", slug="pension", content_text="x")
    save_page(title="Guests", slug="guests", content_text="x", is_public=True)
    declared = [{"name": "unresolved", "core_tools": [page_links.NAME]}]
    for person in (stranger(), known(tier="unresolved")):
        here = surface(person, channel="slack", slack_channel_id="D1", tiers=declared)
        assert asked(here, "pension")["code"] == "forbidden"
        assert asked(here, "guests")["data"]["access"] == "public"
    assert not WebLinkToken.objects.exists()


TIERS = {"member": "member", "mentor": "mentor", "partner": "partner", "helper": "helper", "admin": "member"}
AUDIENCES: dict[str, list[str] | None] = {
    "none": None,
    "member": ["member"],
    "mentor": ["mentor"],
    "empty": [],
}
DECLARED = ["member", "mentor", "partner", {"name": "helper", "knowledge_source_types": ["handbook"]}]
OPEN_TO = {
    "none": {"member", "mentor", "partner", "admin"},
    "member": {"member", "admin"},
    "mentor": {"mentor", "admin"},
    "empty": {"admin"},
}


@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("who", TIERS)
def test_a_page_the_person_may_not_see_is_no_page(who: str, audience: str) -> None:
    page = save_page(
        title="Pension", slug="pension", content_text="x", audience_tiers=AUDIENCES[audience]
    ).page
    person = known(tier=TIERS[who], is_admin=who == "admin")
    here = surface(person, channel="slack", slack_channel_id="D1", tiers=DECLARED)
    for name in ("pension", f"/kb/harbour/{page.public_id}"):
        result = asked(here, name)
        assert result["success"] is (who in OPEN_TO[audience])
        if not result["success"]:
            assert result == asked(here, "there-is-none")
    assert WebLinkToken.objects.exists() is (who in OPEN_TO[audience])


def test_without_an_address_of_the_platform_it_is_not_offered(settings: Any) -> None:
    settings.ENV = settings.ENV.model_copy(update={"node_env": "production", "platform_base_url": None})
    assert tool(surface(known())) is None


@pytest.mark.parametrize(
    ("channel", "place", "state"),
    [("web", None, "available"), ("slack", "D1", "available"), ("slack", "C1", "not_private")],
)
def test_the_prompt_says_where_links_are_given(channel: Any, place: str | None, state: str) -> None:
    here = surface(known(), channel=channel, slack_channel_id=place)
    assert link_state(here, issues_links=False) == state
    nobody = surface(stranger(), channel=channel, slack_channel_id=place)
    assert link_state(nobody, issues_links=False) == "none"


def test_another_communitys_page_is_none_here(other_tenant: Tenant) -> None:
    from apps.tenancy.context import tenant_context

    with tenant_context(other_tenant):
        page = save_page(title="Pension", slug="pension", content_text="x").page
    for name in ("pension", page.public_id, f"/kb/mill/{page.public_id}"):
        assert asked(surface(known()), name)["code"] == "not_found"
