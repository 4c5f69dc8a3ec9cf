"""A page of the knowledge base in a real browser: its owner's first opening, a second browser, widths, paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from apps.knowledge.links import link_to
from apps.knowledge.models import KnowledgePage
from apps.knowledge.pages import save_page
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.principals import PersonFacts, upsert
from tests.browser.conftest import PATIENCE_MS, chromium
from tests.browser.long_page import LONG_PAGE
from tests.fakes.site import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Response

pytestmark = pytest.mark.serial


@dataclass(frozen=True)
class Kb:
    """Two private pages and a public one, with links of Ada's to the private ones."""

    browser: Browser
    links: list[str]
    bare: list[str]
    public: str


@pytest.fixture
def kb(committed_db: None, tenant: Tenant, llm: Any) -> Iterator[Kb]:
    with Site() as site:
        with tenant_context(tenant):
            ada = upsert(PersonFacts(ref="p-ada", tier="member"))
            pages = [_page("Stipends"), _page("Parking"), _page("Guests", is_public=True)]
            links = [site.base_url + _path(link_to(page, principal=ada).url) for page in pages[:2]]
        bare = [f"{site.base_url}/kb/harbour/{page.public_id}" for page in pages]
        with chromium() as browser:
            yield Kb(browser=browser, links=links, bare=bare[:2], public=bare[2])


def _page(title: str, **details: Any) -> KnowledgePage:
    known = {"knowledge_date": "2026-03-31", "source_url": "https://harbour.example/house?page=7"}
    return save_page(title=title, content_html=LONG_PAGE, **known, **details).page  # type: ignore[arg-type]


def _path(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}"


def _tab(kb: Kb, **options: Any) -> Page:
    context = kb.browser.new_context(**options)
    context.set_default_timeout(PATIENCE_MS)
    return context.new_page()


def _opened(page: Page, address: str) -> Response:
    response = page.goto(address)
    assert response is not None
    return response


def test_the_owners_first_opening_works_and_a_second_browser_is_refused(kb: Kb) -> None:
    owner, other = _tab(kb), _tab(kb)
    complaints: list[str] = []
    owner.on("console", lambda message: complaints.append(message.text))
    assert _opened(owner, kb.links[0]).status == 200
    assert owner.url == kb.bare[0]
    assert owner.get_by_role("heading", level=1).inner_text() == "Stipends"
    assert owner.get_by_text("Only for you").is_visible()

    assert _opened(other, kb.links[0]).status == 403
    assert "opened in another browser" in other.locator("main").inner_text()
    assert "Stipends" not in other.content()
    assert _opened(other, kb.bare[0]).status == 403

    assert owner.reload() is not None and owner.get_by_text("Only for you").is_visible()
    # The second link of the same person, in the same browser.
    assert _opened(owner, kb.links[1]).status == 200 and owner.url == kb.bare[1]
    assert owner.evaluate("document.cookie") == "" and complaints == []


def test_a_public_page_is_bare(kb: Kb) -> None:
    anybody = _tab(kb)
    assert _opened(anybody, kb.public).status == 200
    assert anybody.context.cookies() == [] and not anybody.get_by_text("Only for you").is_visible()


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_any_width_and_only_tables_scroll(kb: Kb, width: int, scheme: Any) -> None:
    page = _tab(kb, viewport={"width": width, "height": 844}, color_scheme=scheme)
    _opened(page, kb.public)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("table").first.evaluate("each => each.scrollWidth > each.clientWidth") is (
        width < 700
    )
    assert page.locator("h1").evaluate("each => getComputedStyle(each).color") != page.evaluate(
        "getComputedStyle(document.body).backgroundColor"
    )


def test_on_paper_addresses_are_written_out_and_nothing_is_cut(kb: Kb) -> None:
    page = _tab(kb, viewport={"width": 700, "height": 900})
    _opened(page, kb.public)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("table").first.evaluate("each => getComputedStyle(each).overflowX") == "visible"
    assert "https://" in page.locator(".prose a").first.evaluate(
        "each => getComputedStyle(each, '::after').content"
    )
