"""Stopping, losing the connection and coming back: nothing that was typed or answered is lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PATIENCE_MS
from tests.channels.script import WAIT, Gate, searching
from tests.plugins.community import Community

pytestmark = pytest.mark.serial
expect.set_options(timeout=PATIENCE_MS)
QUESTION = "May I bring a guest?"
ANSWER = "Guests may come until ten (see Guests)."


def _ask(page: Page, chat_address: str) -> None:
    page.goto(chat_address)
    page.get_by_label("Message to Pilot").fill(QUESTION)
    page.keyboard.press("Enter")


def test_escape_stops_and_gives_the_question_back(
    desktop: Page, community: Community, chat_address: str
) -> None:
    gate = Gate("plan", ANSWER)
    community.llm.answer_with(gate)
    _ask(desktop, chat_address)
    assert gate.reached.wait(WAIT)
    desktop.keyboard.press("Escape")
    expect(desktop.get_by_role("alert")).to_contain_text("Stopped")
    gate.open()
    expect(desktop.get_by_label("Message to Pilot")).to_have_value(QUESTION)
    desktop.get_by_role("button", name="Ask again").click()
    expect(desktop.locator(".answer")).to_have_text(ANSWER)
    expect(desktop.get_by_label("Message to Pilot")).to_have_value("")
    expect(desktop.locator(".turn")).to_have_count(1)


def test_an_unreachable_server_keeps_the_question(
    desktop: Page, community: Community, chat_address: str
) -> None:
    community.llm.answer_with(searching(ANSWER))
    desktop.route("**/messages/stream", lambda route: route.abort())
    _ask(desktop, chat_address)
    expect(desktop.get_by_role("alert")).to_contain_text("cannot be reached")
    expect(desktop.get_by_label("Message to Pilot")).to_have_value(QUESTION)
    desktop.unroute("**/messages/stream")
    desktop.keyboard.press("Enter")
    expect(desktop.locator(".answer").last).to_have_text(ANSWER)


def test_an_answer_finished_meanwhile_is_there_on_return(
    desktop: Page, community: Community, chat_address: str
) -> None:
    gate = Gate("enough", ANSWER)
    community.llm.answer_with(gate)
    _ask(desktop, chat_address)
    assert gate.reached.wait(WAIT)
    desktop.goto("about:blank")
    desktop.goto(chat_address)
    expect(desktop.get_by_role("status").first).to_have_text("Still working on this…")
    gate.open()
    expect(desktop.locator(".answer")).to_have_text(ANSWER)
