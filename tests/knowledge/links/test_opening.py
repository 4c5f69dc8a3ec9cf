"""Who a link opens the page for: its person, in the browser that opened it first."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from apps.foundation.clock import now
from apps.foundation.errors import Forbidden, NotFound
from apps.knowledge import links
from apps.knowledge.models import KnowledgeTrash, WebBrowserSession, WebLinkToken
from apps.knowledge.pages import delete_page, restore_page, save_page
from apps.tenancy.models import Tenant
from apps.tenancy.principals import PersonFacts, upsert
from tests.knowledge.links.cast import a_page, ada, by_tier, mo, opened, token_for

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("llm", "in_tenant")]


def read(page: Any, browser: str) -> Any:
    return links.read_bare(page.public_id, browser=browser, audience_of=by_tier)


def refused(page: Any, token: str, browser: str = "") -> str:
    with pytest.raises(Forbidden) as caught:
        links.open_link(page.public_id, token=token, browser=browser, audience_of=by_tier)
    return caught.value.message


def test_the_first_browser_reads_from_then_on() -> None:
    page = a_page()
    cookie = opened(page, token_for(page, ada()))
    assert read(page, cookie) == page
    [session] = WebBrowserSession.objects.all()
    assert timedelta(days=89) < session.expires_at - now() < timedelta(days=91)
    [link] = WebLinkToken.objects.all()
    assert timedelta(days=29) < link.expires_at - now() < timedelta(days=31)
    assert (link.browser_session, link.principal, link.page) == (session, ada(), page)


def test_only_hashes_are_kept() -> None:
    page = a_page()
    token = token_for(page, ada())
    cookie = opened(page, token)
    kept = str([*WebLinkToken.objects.values(), *WebBrowserSession.objects.values()])
    assert token not in kept and cookie not in kept


def test_a_second_browser_is_refused_and_the_first_goes_on() -> None:
    page = a_page()
    token = token_for(page, ada())
    cookie = opened(page, token)
    assert refused(page, token) == links.TAKEN
    assert opened(page, token, cookie) == cookie
    assert WebBrowserSession.objects.count() == 1


def test_a_second_link_of_the_same_person_joins_the_browser() -> None:
    pension, parking = a_page(), a_page("Parking")
    cookie = opened(pension, token_for(pension, ada()))
    assert opened(parking, token_for(parking, ada()), cookie) == cookie
    assert read(pension, cookie) == pension and read(parking, cookie) == parking


def test_a_link_passed_on_is_refused_by_somebody_elses_browser_and_not_used_up() -> None:
    page = a_page()
    theirs = opened(page, token_for(page, mo()))
    token = token_for(page, ada())
    assert refused(page, token, theirs) == links.SOMEBODY_ELSES
    assert opened(page, token) != theirs


def test_a_browser_reads_only_the_pages_it_opened_links_to() -> None:
    pension, parking = a_page(), a_page("Parking")
    cookie = opened(pension, token_for(pension, ada()))
    with pytest.raises(Forbidden, match="private"):
        read(parking, cookie)
    assert refused(parking, token_for(pension, ada())) == links.UNKNOWN


def test_an_expired_link_opens_nothing_and_an_admitted_browser_stays_so() -> None:
    page = a_page()
    token, late = token_for(page, ada()), token_for(page, ada())
    cookie = opened(page, token)
    WebLinkToken.objects.update(expires_at=now() - timedelta(seconds=1))
    assert refused(page, late) == refused(page, token, cookie) == links.EXPIRED
    assert read(page, cookie) == page


def test_a_browser_whose_time_is_over_is_a_stranger_and_its_link_stays_used() -> None:
    page = a_page()
    token = token_for(page, ada())
    cookie = opened(page, token)
    WebBrowserSession.objects.update(expires_at=now() - timedelta(seconds=1))
    with pytest.raises(Forbidden, match="private"):
        read(page, cookie)
    assert refused(page, token, cookie) == links.TAKEN
    assert opened(page, token_for(page, ada()), cookie) != cookie


def test_a_page_closed_meanwhile_is_refused_and_the_link_not_used_up() -> None:
    page = a_page(slug="pension")
    token, other = token_for(page, ada()), token_for(page, ada())
    cookie = opened(page, token)
    save_page(title=page.title, content_text="New.", slug="pension", audience_tiers=["mentor"])
    assert refused(page, other) == links.CLOSED
    with pytest.raises(Forbidden, match="not open to you"):
        read(page, cookie)
    save_page(title=page.title, content_text="New.", slug="pension", audience_tiers=["member"])
    assert opened(page, other, cookie) == cookie


@pytest.mark.parametrize("tier", ["unresolved", "partner"])
def test_a_person_who_lost_their_tier_is_refused(tier: str) -> None:
    page = a_page(audience_tiers=["member"])
    token = token_for(page, ada())
    cookie = opened(page, token)
    upsert(PersonFacts(ref="p-ada", tier=tier))
    assert refused(page, token, cookie) == links.CLOSED
    with pytest.raises(Forbidden, match="not open to you"):
        read(page, cookie)


def test_a_deleted_page_is_gone_for_its_links_even_when_it_comes_back() -> None:
    page = a_page(slug="pension")
    token = token_for(page, ada())
    cookie = opened(page, token)
    delete_page("pension")
    for ask in (
        lambda: read(page, cookie),
        lambda: links.open_link(page.public_id, token=token, browser=cookie, audience_of=by_tier),
    ):
        with pytest.raises(NotFound):
            ask()
    again = restore_page(KnowledgeTrash.objects.get().pk)
    assert again.public_id == page.public_id and refused(again, token, cookie) == links.UNKNOWN


def test_a_public_page_needs_nothing_and_a_named_audience_keeps_it_private() -> None:
    page = a_page(is_public=True)
    assert read(page, "") == page
    assert links.link_to(page, principal=None).expires_at is None
    assert links.open_link(page.public_id, token="x", browser="", audience_of=by_tier) is None
    assert not WebLinkToken.objects.exists()
    torn = a_page("Torn", is_public=True, audience_tiers=["mentor"])
    with pytest.raises(Forbidden):
        read(torn, "")
    with pytest.raises(Forbidden):
        links.link_to(torn, principal=None)


@pytest.mark.parametrize("secret", ["", "x", "\x00", "\ud800", "a" * 100_000, "' OR 1=1"])
def test_made_up_secrets_open_nothing(secret: str) -> None:
    page = a_page()
    cookie = opened(page, token_for(page, ada()))
    assert refused(page, secret, cookie) == links.UNKNOWN
    with pytest.raises(Forbidden, match="private"):
        read(page, secret)
    with pytest.raises(Forbidden, match="private"):
        read(page, cookie + secret if secret else cookie[:-1])


def test_another_communitys_link_is_no_page_here(tenant: Tenant, other_tenant: Tenant) -> None:
    from apps.tenancy.context import tenant_context

    page = a_page()
    token = token_for(page, ada())
    cookie = opened(page, token)
    with tenant_context(other_tenant):
        with pytest.raises(NotFound):
            read(page, cookie)
        mine = a_page()
        assert refused(mine, token, cookie) == links.UNKNOWN
