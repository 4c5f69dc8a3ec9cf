"""Personal links to private pages: issued for one person, opened by one browser (contract §10.5).

Of tokens and cookies only hashes are stored. Who may see the page is decided anew at every request.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from apps.foundation.clock import now
from apps.foundation.errors import Forbidden, NotFound, Unavailable
from apps.knowledge.audience import Audience
from apps.knowledge.models import KnowledgePage, WebBrowserSession, WebLinkToken
from apps.knowledge.page_addresses import is_open, page_path, site_address
from apps.tenancy.models import Principal

LINK_LASTS: Final = timedelta(days=30)
BROWSER_LASTS: Final = timedelta(days=90)
# Sooner a visit is not written down.
_SEEN_AGAIN: Final = timedelta(hours=1)
_SECRET_BYTES: Final = 32
_LONGEST_SECRET: Final = 200

# What a person may read as things stand now; None for nothing at all.
AudienceOf = Callable[[Principal], Audience | None]

NO_LINK: Final = (
    "This page is private. It opens with a personal link, in the browser that opened the link first."
)
UNKNOWN: Final = "This link does not open anything (any more)."
EXPIRED: Final = "This link has expired."
TAKEN: Final = "This link was opened in another browser before, and works only there."
SOMEBODY_ELSES: Final = (
    "This link is not for the person this browser belongs to. Links that were passed on do not work."
)
CLOSED: Final = "This page is not open to you (any more)."


@dataclass(frozen=True, kw_only=True)
class PageLink:
    """An address that opens a page; a personal one ends by itself."""

    url: str = field(repr=False)
    expires_at: datetime | None = None

    @property
    def is_personal(self) -> bool:
        return self.expires_at is not None


def link_to(page: KnowledgePage, *, principal: Principal | None) -> PageLink:
    """The bare address of a public page, else a new link for this person alone; raises :class:`Forbidden`.

    Whether the person may see the page is the caller's to ask first.
    """
    site = site_address()
    if site is None:
        raise Unavailable("There is no address to link to: PLATFORM_BASE_URL is not set.")
    bare = site + page_path(page)
    if is_open(page):
        return PageLink(url=bare)
    if principal is None:
        raise Forbidden("A private page is linked only for people this community recognizes.")
    token = secrets.token_urlsafe(_SECRET_BYTES)
    expires_at = now() + LINK_LASTS
    WebLinkToken.objects.create(
        principal=principal, page=page, token_hash=_hash(token), expires_at=expires_at
    )
    return PageLink(url=f"{bare}?token={token}", expires_at=expires_at)


def read_bare(public_id: str, *, browser: str, audience_of: AudienceOf) -> KnowledgePage:
    """The page, for anybody if it is public, else for a browser that opened a link to it.

    ``browser`` is the cookie's value. Raises :class:`NotFound` or :class:`Forbidden`.
    """
    page = _page(public_id)
    if is_open(page):
        return page
    session = _session(browser)
    if session is None or not _opened_here(page, session):
        raise Forbidden(NO_LINK)
    _admit(page, session.principal, audience_of)
    if session.last_seen_at is None or now() - session.last_seen_at > _SEEN_AGAIN:
        WebBrowserSession.objects.filter(pk=session.pk).update(last_seen_at=now())
    return page


def open_link(public_id: str, *, token: str, browser: str, audience_of: AudienceOf) -> str | None:
    """Trades a link's token for the browser's right to read the page; returns the cookie's value.

    The first browser binds the link, also when two come at the same moment; every other is refused. A public page
    needs no link: None. Raises :class:`NotFound` or :class:`Forbidden`.
    """
    page = _page(public_id)
    if is_open(page):
        return None
    link = _link(page, token)
    # First, so that a link to a page that is closed now is not used up; and it may call out, which no transaction may.
    _admit(page, link.principal, audience_of)
    with transaction.atomic():
        held = WebLinkToken.objects.select_for_update().filter(pk=link.pk).first()
        if held is None:
            raise Forbidden(UNKNOWN)
        return _bound(held, browser)


def _bound(link: WebLinkToken, browser: str) -> str:
    session = _session(browser)
    if link.bound_at is not None:
        if session is None or session.pk != link.browser_session_id:
            raise Forbidden(TAKEN)
        return _renewed(session, browser)
    if session is not None and session.principal_id != link.principal_id:
        raise Forbidden(SOMEBODY_ELSES)
    if session is None:
        browser = secrets.token_urlsafe(_SECRET_BYTES)
        session = WebBrowserSession(principal_id=link.principal_id, token_hash=_hash(browser))
    cookie = _renewed(session, browser)
    link.browser_session, link.bound_at = session, now()
    link.save(update_fields=["browser_session", "bound_at"])
    return cookie


def _renewed(session: WebBrowserSession, browser: str) -> str:
    session.last_seen_at = now()
    session.expires_at = now() + BROWSER_LASTS
    session.save()
    return browser


def _page(public_id: str) -> KnowledgePage:
    found: KnowledgePage | None = KnowledgePage.objects.filter(public_id=public_id).first()
    if found is None:
        raise NotFound("There is no such page.")
    return found


def _link(page: KnowledgePage, token: str) -> WebLinkToken:
    found: WebLinkToken | None = WebLinkToken.objects.filter(page=page, token_hash=_hash(token)).first()
    if found is None:
        raise Forbidden(UNKNOWN)
    if found.expires_at <= now():
        raise Forbidden(EXPIRED)
    return found


def _session(browser: str) -> WebBrowserSession | None:
    if not browser:
        return None
    live = WebBrowserSession.objects.filter(expires_at__gt=now())
    found: WebBrowserSession | None = live.filter(token_hash=_hash(browser)).first()
    return found


def _opened_here(page: KnowledgePage, session: WebBrowserSession) -> bool:
    # A browser that was let in stays so for its ninety days; only unopened links end after thirty.
    return bool(WebLinkToken.objects.filter(page=page, browser_session=session).exists())


def _admit(page: KnowledgePage, principal: Principal, audience_of: AudienceOf) -> None:
    audience = audience_of(principal)
    if audience is None or not audience.admits(page):
        raise Forbidden(CLOSED)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret[:_LONGEST_SECRET].encode(errors="replace")).hexdigest()
