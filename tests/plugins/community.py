"""A community with a backend and a page: what turn tests are about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakes.backend import FakeBackend, Recorded, Reply

if TYPE_CHECKING:
    from apps.tenancy.models import Tenant

PEOPLE = {
    "ada@harbour.example": ("p-ada", "Ada", "member", "U0ADA"),
    "mo@harbour.example": ("p-mo", "Mo", "mentor", "U0MO"),
    "lin@elsewhere.example": ("p-lin", "Lin", "partner", "U0LIN"),
}
MANIFEST = {
    "protocol": "root-int/1",
    "name": "harbour-house",
    "access_tiers": ["member", "mentor", {"name": "partner", "core_tools": ["search_knowledge_base"]}],
    "tools": [
        {
            "name": "search_members",
            "description": "Finds people of the community by name or skill.",
            "parameters": {
                "type": "object",
                "properties": {"query": {"type": "string"}},
                "required": ["query"],
                "additionalProperties": False,
            },
            "tiers": ["member", "mentor"],
            "read_only": True,
            "status_label": "Looking through the directory",
        },
        {
            "name": "book_room",
            "description": "Books a room.",
            "parameters": {
                "type": "object",
                "properties": {"room": {"type": "string"}},
                "required": ["room"],
            },
            "tiers": ["member"],
        },
        {
            "name": "close_house",
            "description": "Closes the house.",
            "admin_only": True,
            "tiers": ["__admin__"],
        },
    ],
    "prompt_sections": [{"content": "The house is closed on Sundays.", "tiers": ["member"]}],
}


@dataclass(frozen=True)
class Community:
    """A tenant and the wire behind it."""

    tenant: Tenant
    backend: FakeBackend
    llm: Any


def identify(request: Recorded) -> Reply:
    """The backend's identity route, for everybody in ``PEOPLE``."""
    asked = request.json
    for email, (ref, name, tier, slack) in PEOPLE.items():
        if asked.get("email") == email or asked.get("slack_user_id") == slack:
            person = {"principal_ref": ref, "display_name": name, "tier": tier, "email": email}
            return Reply({"principal": person, "acts_for": None})
    return Reply({"principal": None, "acts_for": None})


def teach(backend: FakeBackend) -> None:
    """Gives a backend its manifest, its people and its tools."""
    backend.answer("GET /integration/manifest", Reply(MANIFEST))
    backend.answer("POST /integration/identity/resolve", identify)
    backend.answer(
        "POST /integration/tools/search_members",
        Reply({"success": True, "data": {"members": [{"name": "Ines Prado", "skill": "pricing"}]}}),
    )
    backend.answer(
        "POST /integration/tools/book_room", Reply({"success": False, "error": "That room is taken."})
    )


@pytest.fixture
def backend() -> Iterator[FakeBackend]:
    """A tenant backend at the wire."""
    with FakeBackend() as running:
        teach(running)
        yield running


@pytest.fixture
def community(committed_db: None, tenant: Tenant, backend: FakeBackend, llm: Any) -> Community:
    """Harbour Works: one page, one backend, a scripted model."""
    settle(tenant, backend, page="Guests may come until ten in the evening. Tell the front desk their names.")
    return Community(tenant=tenant, backend=backend, llm=llm)


def settle(tenant: Tenant, backend: FakeBackend, *, page: str) -> None:
    """Connects a backend and writes one page for a tenant."""
    from apps.integrations.connect import connect
    from apps.knowledge.pages import save_page
    from apps.tenancy.context import tenant_context

    with tenant_context(tenant):
        connected = connect("house", base_url=backend.url, signing_secret=str(backend.secret))
        assert connected.problem == ""
        save_page(title="Guests", slug="guests", content_html=f"<h2>Evenings</h2><p>{page}</p>")
