"""Three communities that share every name and id: two live ones, and the shadow of the first.

All they have of their own is a marker, which stands in every text of theirs, and a tier they give to the same person.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.fakes.backend import FakeBackend, Recorded, Reply
from tests.fakes.slack import FakeSlack
from tests.isolation.workspaces import workspaces

if TYPE_CHECKING:
    from apps.tenancy.models import Tenant

# No stemmer shortens a word that ends in a digit and a letter, so a marker can be found in word lists as well.
MARKERS = {"harbour": "zqharbour7x", "mill": "zqmill9x", "harbour--dev": "zqshadow5x"}
TIERS = {"harbour": "member", "mill": "mentor", "harbour--dev": "partner"}
EMAIL, REF, SLACK = "ada@shared.example", "p-ada", "U0ADA"
# What the model asks for with these words, the database refuses: see ``refusing`` in drive.py.
EXPLODES = "explode at once"
_TIERS = [*TIERS.values(), "public_email"]
_QUERY = {
    "type": "object",
    "properties": {"query": {"type": "string"}},
    "required": ["query"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Community:
    """One of the three with its two backends, and a web site that asks for no signature."""

    tenant: Tenant
    marker: str
    tier: str
    house: FakeBackend
    annex: FakeBackend
    site: FakeBackend
    slack: FakeSlack

    @property
    def slug(self) -> str:
        return self.tenant.slug

    @property
    def foreign(self) -> list[str]:
        """What must never be read here."""
        return [marker for marker in MARKERS.values() if marker != self.marker]


@contextmanager
def communities() -> Iterator[list[Community]]:
    """Makes the rows and starts the backends; needs the database."""
    from apps.tenancy.tenants import create_tenant, shadow_of

    harbour = create_tenant("harbour", display_name="The Club", settings=_settings(7))
    rows = [
        harbour,
        create_tenant("mill", display_name="The Club", settings=_settings(9)),
        shadow_of(harbour),
    ]
    with ExitStack() as stack:
        slacks = stack.enter_context(workspaces([MARKERS[row.slug] for row in rows]))
        yield [_community(row, stack, slacks[MARKERS[row.slug]]) for row in rows]


def _settings(limit: int) -> dict[str, Any]:
    return {"limits": {"max_knowledge_sources": limit}}


def _community(tenant: Tenant, stack: ExitStack, slack: FakeSlack) -> Community:
    marker, tier = MARKERS[tenant.slug], TIERS[tenant.slug]
    house = stack.enter_context(FakeBackend(secret=f"house-secret-{marker}"))
    annex = stack.enter_context(FakeBackend(secret=f"annex-secret-{marker}"))
    site = stack.enter_context(FakeBackend(secret=None))
    _teach_house(house, marker, tier)
    site.answer("GET /page", Reply(_page(marker).encode(), headers={"content-type": "text/html"}))
    annex.answer("GET /integration/manifest", Reply({"protocol": "root-int/1", "name": "annex"}))
    annex.answer("POST /integration/escalations", Reply({"ok": True}))
    return Community(
        tenant=tenant, marker=marker, tier=tier, house=house, annex=annex, site=site, slack=slack
    )


def _teach_house(house: FakeBackend, marker: str, tier: str) -> None:
    person: dict[str, Any] = {
        "principal_ref": REF,
        "display_name": f"Ada {marker}",
        "tier": tier,
        "email": EMAIL,
    }
    person |= {
        "slack_user_id": SLACK,
        "profile_context": f"Keeps bees at {marker}.",
        "traits": {"team": marker},
    }

    def identify(request: Recorded) -> Reply:
        asked = request.json
        known = asked.get("email") == EMAIL or asked.get("slack_user_id") == SLACK
        return Reply({"principal": person if known else None, "acts_for": None})

    house.answer("GET /integration/manifest", Reply(_manifest(marker)))
    house.answer("POST /integration/identity/resolve", identify)
    house.answer(
        "GET /integration/identity/roster",
        Reply(
            {"principals": [person, {"principal_ref": "p-bo", "display_name": f"Bo {marker}", "tier": tier}]}
        ),
    )
    house.answer(
        "POST /integration/tools/search_members",
        Reply({"success": True, "data": {"members": [{"name": f"Keeper of {marker}"}]}}),
    )
    house.answer("POST /integration/tools/book_room", Reply({"success": True, "data": {"room": marker}}))
    house.answer("POST /integration/escalations", Reply({"ok": True}))
    document = {"external_id": "same", "title": "Asked for", "content_text": f"Asked for at {marker}."}
    house.answer("POST /deliver", Reply({"documents": [document]}))
    house.answer("POST /integration/links/issue", Reply({"url": f"https://pages.example/{marker}"}))


def _page(marker: str) -> str:
    line = f"The terrace of {marker} is open from noon until the last guest has left, whatever the weather."
    return f"<html><head><title>Terrace</title></head><body><article><h1>Terrace</h1>{f'<p>{line}</p>' * 8}"


def _manifest(marker: str) -> dict[str, Any]:
    return {
        "protocol": "root-int/1",
        "name": "house",
        "access_tiers": list(TIERS.values()),
        "tools": [
            {
                "name": "search_members",
                "description": f"Finds people of {marker}.",
                "parameters": _QUERY,
                "tiers": _TIERS,
                "read_only": True,
                "status_label": f"Looking around {marker}",
            },
            {
                "name": "book_room",
                "description": f"Books a room at {marker}.",
                "parameters": _QUERY,
                "tiers": _TIERS,
            },
        ],
        "prompt_sections": [{"content": f"The house of {marker} is closed on Sundays.", "tiers": _TIERS}],
        "link_destination_details": [
            {"destination": "rooms", "title": f"Rooms of {marker}", "prompt_summary": f"Rooms at {marker}"}
        ],
    }
