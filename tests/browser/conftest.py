"""A real browser in front of a real server; only the model's words are scripted."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.channels.conftest import CONFIG, TOKEN
from tests.fakes.site import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.plugins.community import Community

SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
PATIENCE_MS = 30_000


def _chromium() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    pytest.skip("no Chromium on this machine: install Debian's chromium package to run the browser tests")


@pytest.fixture
def chat_address(community: Community) -> Iterator[str]:
    """The address somebody is given, token and all."""
    from apps.channels.turn_pool import turn_pool
    from apps.tenancy.context import tenant_context
    from apps.tenancy.models import TenantChannel

    with tenant_context(community.tenant):
        TenantChannel.objects.create(type="web", config=CONFIG, secrets={"access_token": TOKEN})
    turn_pool.cache_clear()
    with Site() as site:
        yield f"{site.base_url}/web/harbour/test?token={TOKEN}"
    turn_pool.cache_clear()


@contextmanager
def chromium() -> Iterator[Browser]:
    """Started after and stopped before everything that touches the database: its event loop forbids that."""
    from playwright.sync_api import sync_playwright

    path = _chromium()
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=SWITCHES)
        yield running
        running.close()


@pytest.fixture
def browser(chat_address: str) -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def desktop(browser: Browser) -> Iterator[Page]:
    yield from _opened(browser, viewport={"width": 1280, "height": 860})


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    yield from _opened(browser, viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True)


def _opened(browser: Browser, **options: Any) -> Iterator[Page]:
    context = browser.new_context(reduced_motion="reduce", **options)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    # A refused request is the subject of some tests; a broken script or a blocked file never is.
    assert [text for text in complaints if not text.startswith("Failed to load resource")] == []
