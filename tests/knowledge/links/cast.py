"""Two people and their links; call inside a tenant context."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

from apps.knowledge.audience import Audience
from apps.knowledge.links import link_to, open_link
from apps.knowledge.models import KnowledgePage
from apps.knowledge.pages import save_page
from apps.tenancy.models import Principal
from apps.tenancy.principals import PersonFacts, upsert


def a_page(title: str = "Pension", **details: Any) -> KnowledgePage:
    return save_page(title=title, content_text=f"All there is to know about: {title}.", **details).page


def ada() -> Principal:
    return upsert(PersonFacts(ref="p-ada", tier="member"))


def mo() -> Principal:
    return upsert(PersonFacts(ref="p-mo", tier="mentor"))


def by_tier(principal: Principal) -> Audience | None:
    """Reads the row anew, as a request would."""
    tier = Principal.objects.get(pk=principal.pk).tier
    return None if tier == "unresolved" else Audience(tier=tier)


def token_for(page: KnowledgePage, principal: Principal) -> str:
    [token] = parse_qs(urlsplit(link_to(page, principal=principal).url).query)["token"]
    return token


def opened(page: KnowledgePage, token: str, browser: str = "") -> str:
    cookie = open_link(page.public_id, token=token, browser=browser, audience_of=by_tier)
    assert cookie is not None
    return cookie
