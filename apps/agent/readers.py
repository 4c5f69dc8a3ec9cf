"""What somebody the community knows may read outside a conversation (contract §5.1, §10.5)."""

from __future__ import annotations

from typing import Final

from apps.agent.tools import gating
from apps.foundation.errors import Forbidden, NotFound
from apps.integrations import identity
from apps.integrations.rootint.registry import active_integrations
from apps.knowledge.audience import Audience
from apps.knowledge.links import PageLink, link_to
from apps.knowledge.models import KnowledgePage
from apps.knowledge.page_addresses import is_open, page_named
from apps.tenancy import principals
from apps.tenancy.models import Principal
from apps.tenancy.tiers import is_reserved, manifest_tier_for

# Whom a program speaks for when it names nobody.
SOME_MEMBER: Final = "member"
NOBODY: Final = "Nobody here has this reference."
NO_PAGE: Final = "There is no such page, or it is not open to this person."
NOT_VOUCHED_FOR: Final = "Nobody vouches for this person (any more), so nothing is open to them."


def audience_of(principal: Principal) -> Audience | None:
    """As things stand now: the tier that still holds, and the source types the backends open to it.

    None for people whom nobody vouches for any more.
    """
    person = identity.resolve(channel="api", ref=principal.ref)
    tier = manifest_tier_for(person.access_level)
    if person.principal is None or is_reserved(tier):
        return None
    return _audience(tier, is_admin=person.is_admin)


def reader(ref: str | None) -> Audience:
    """What the person with this reference may read, or any member when nobody is named.

    Raises :class:`NotFound` for a reference nobody has, and :class:`Forbidden` for people nobody vouches for.
    """
    if ref is None:
        return _audience(SOME_MEMBER)
    audience = audience_of(_known(ref))
    if audience is None:
        raise Forbidden(NOT_VOUCHED_FOR)
    return audience


def page_link(identifier: str, *, ref: str | None) -> tuple[KnowledgePage, PageLink]:
    """The page and an address that opens it: for anybody if it is public, else for this person alone.

    Raises :class:`NotFound` also for pages the person may not read, and :class:`Forbidden` when a private page is
    asked for and nobody is named.
    """
    person = None if ref is None else _known(ref)
    page = page_named(identifier)
    if page is None:
        raise NotFound(NO_PAGE)
    if person is not None and not is_open(page):
        audience = audience_of(person)
        if audience is None or not audience.admits(page):
            raise NotFound(NO_PAGE)
    return page, link_to(page, principal=person)


def _known(ref: str) -> Principal:
    found = principals.by_ref(ref)
    if found is None:
        raise NotFound(NOBODY)
    return found


def _audience(tier: str, *, is_admin: bool = False) -> Audience:
    declared = [entry for each in active_integrations() for entry in each.manifest.access_tiers]
    types = gating.knowledge_types_for(tier, declared=declared)
    return Audience(tier=tier, source_types=types, is_admin=is_admin)
