"""Hostile content as a page, in a browser that ignores the page's own policy: nothing runs, nothing is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from apps.knowledge.pages import save_page
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.browser import hostile
from tests.browser.conftest import PATIENCE_MS, chromium
from tests.fakes.site import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.serial
BEFORE, AFTER = "<p>This stands before it.</p>", "<p>This stands after it.</p>"
# All that a reader could set off without leaving the page, on every element of it.
PROVOKED = """() => {
  const wrong = [];
  const events = ["click", "dblclick", "mouseover", "mouseenter", "mousemove", "pointerdown", "focus", "focusin",
    "blur", "keydown", "load", "error", "toggle", "animationstart", "transitionend", "wheel", "copy", "paste",
    "contextmenu", "begin", "end", "loadstart", "start", "scroll", "input", "submit", "resize", "pageshow"];
  const stop = (event) => event.preventDefault();
  addEventListener("click", stop, true);
  for (const element of document.querySelectorAll("*")) {
    for (const { name } of element.attributes) if (name.startsWith("on") || name === "style") wrong.push(name);
    const inside = element.closest("article");
    if (inside && /^(script|style|iframe|object|embed|svg|math|img|form|input|link|meta|base|template)$/i
      .test(element.localName)) wrong.push(element.localName);
    if (element.localName === "a" && element.href && !/^(https?|mailto):/.test(element.href)) wrong.push(element.href);
    for (const type of events) element.dispatchEvent(new Event(type, { bubbles: true, cancelable: true }));
  }
  removeEventListener("click", stop, true);
  if (document.querySelectorAll("article, main, main > h1").length !== 3) wrong.push("the page's own structure");
  return wrong;
}"""


@dataclass
class Watch:
    """What a page did that it should not have."""

    page: Page
    own: str
    seen: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("dialog", self._dialog)
        self.page.on("request", self._request)
        self.page.on("popup", lambda popup: self.seen.append(f"popup {popup.url}"))
        self.page.on("download", lambda _file: self.seen.append("download"))
        self.page.on("pageerror", lambda error: self.seen.append(f"a script ran: {error}"))
        self.page.context.route(lambda url: not url.startswith(self.own), lambda route: route.abort())

    def of(self, address: str) -> list[str]:
        """Opens an address, provokes it, and tells what happened."""
        self.seen.clear()
        self.page.goto(address, wait_until="load")
        wrong: list[str] = self.page.evaluate(PROVOKED)
        text = self.page.locator("article").inner_text()
        lost = [] if "This stands before it." in text else ["the text before"]
        # A second round trip, so that what was set off has arrived.
        self.page.evaluate("() => new Promise(requestAnimationFrame)")
        return [*self.seen, *wrong, *lost]

    def _dialog(self, dialog: Any) -> None:
        self.seen.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Any) -> None:
        path = request.url.removeprefix(self.own)
        if not path.startswith(("/kb/harbour/", "/static/kb/", "/static/web/mark.svg")):
            self.seen.append(f"request {request.url}")


@contextmanager
def watched(own: str) -> Iterator[Watch]:
    with chromium() as browser:
        context = browser.new_context(bypass_csp=True)
        context.set_default_timeout(PATIENCE_MS)
        yield Watch(context.new_page(), own)
        context.close()


def stored(tenant: Tenant, payloads: Sequence[str]) -> list[str]:
    """Each as a public page of its own: as its content, its title and its author."""
    with tenant_context(tenant):
        return [
            save_page(
                title=f"{number} {payload}",
                author_name=payload[:300],
                slug=f"hostile-{number}",
                content_html=BEFORE + payload + AFTER,
                is_public=True,
            ).page.public_id
            for number, payload in enumerate(payloads)
        ]


def check(tenant: Tenant, payloads: Sequence[str]) -> None:
    ids = stored(tenant, payloads)
    with Site() as site, watched(site.base_url) as watch:
        told = {payloads[n]: watch.of(f"{site.base_url}/kb/harbour/{each}") for n, each in enumerate(ids)}
    assert {payload: happened for payload, happened in told.items() if happened} == {}


def test_our_own_vectors(committed_db: None, tenant: Tenant, llm: Any) -> None:
    check(tenant, hostile.OWN)


def test_a_collection_of_others(committed_db: None, tenant: Tenant, llm: Any) -> None:
    payloads = hostile.collected()
    if not payloads:
        pytest.skip(f"no collection: set {hostile.COLLECTION} to a JSON file of objects with a payload")
    check(tenant, payloads)


def test_the_watch_sees_what_it_should(committed_db: None, tenant: Tenant, llm: Any) -> None:
    [public_id] = stored(tenant, ["harmless"])
    injected = (
        "(html) => document.querySelector('article').insertAdjacentHTML('beforeend', html)",
        "<img src='https://e.example/x'><p onmouseover='alert(7)'>x</p><a href='javascript:1'>x</a>",
    )
    with Site() as site, watched(site.base_url) as watch:
        assert watch.of(f"{site.base_url}/kb/harbour/{public_id}") == []
        watch.page.evaluate(*injected)
        wrong = watch.page.evaluate(PROVOKED)
        watch.page.evaluate("() => new Promise(requestAnimationFrame)")
    assert {"img", "onmouseover", "javascript:1"} <= set(wrong)
    assert {"dialog 7", "request https://e.example/x"} <= set(watch.seen)
