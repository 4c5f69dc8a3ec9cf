"""Somebody asks by keyboard, watches the steps, reads the answer with its sources, and finds it after a reload."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PATIENCE_MS
from tests.channels.script import WAIT, Gate, searching
from tests.plugins.community import Community

pytestmark = pytest.mark.serial
expect.set_options(timeout=PATIENCE_MS)
QUESTION = "May I bring a guest, and who knows about pricing?"
ANSWER = "Guests may come **until ten** (see Guests)."


def test_a_question_by_keyboard_and_a_reload(desktop: Page, community: Community, chat_address: str) -> None:
    gate = Gate("enough", ANSWER)
    community.llm.answer_with(gate)
    desktop.goto(chat_address)
    assert "token" not in desktop.url
    expect(desktop.get_by_label("Message to Pilot")).to_be_focused()
    desktop.keyboard.type("May I bring a guest,")
    desktop.keyboard.press("Shift+Enter")
    desktop.keyboard.type("and who knows about pricing?")
    desktop.keyboard.press("Enter")

    assert gate.reached.wait(WAIT)
    step = desktop.locator(".tool", has_text="Searching the knowledge base")
    expect(step).to_contain_text("done")
    expect(desktop.locator(".plan")).to_contain_text("Find the guest rules")
    expect(desktop.get_by_role("status").first).not_to_be_empty()
    gate.open()

    answer = desktop.locator(".answer")
    expect(answer).to_have_text("Guests may come until ten (see Guests).")
    expect(answer.locator("strong")).to_have_text("until ten")
    expect(desktop.get_by_label("Sources of this answer")).to_contain_text("Guests")
    expect(desktop.locator(".work")).not_to_have_attribute("open", "")
    expect(desktop.get_by_label("Message to Pilot")).to_be_focused()

    desktop.reload()
    expect(desktop.locator(".question-text")).to_have_text(
        "May I bring a guest,\nand who knows about pricing?"
    )
    expect(desktop.locator(".answer")).to_have_text("Guests may come until ten (see Guests).")
    expect(desktop.get_by_label("Sources of this answer")).to_contain_text("Guests")


def test_an_example_asked_as_somebody(desktop: Page, community: Community, chat_address: str) -> None:
    community.llm.answer_with(searching(ANSWER))
    desktop.goto(chat_address)
    desktop.get_by_label("Ask as").fill("ada@harbour.example")
    desktop.get_by_role("button", name="May I bring a guest?").click()
    expect(desktop.locator(".answer")).to_contain_text("until ten")
    expect(desktop.locator(".work-title")).to_have_text("2 steps")
    desktop.get_by_text("Details").click()
    expect(desktop.locator(".facts")).to_contain_text("search_members")


def test_a_new_conversation_starts_empty(desktop: Page, community: Community, chat_address: str) -> None:
    community.llm.answer_with(searching(ANSWER))
    desktop.goto(chat_address)
    desktop.get_by_role("button", name="May I bring a guest?").click()
    expect(desktop.locator(".answer")).to_contain_text("until ten")
    desktop.get_by_role("button", name="New conversation").click()
    expect(desktop.locator(".turn")).to_have_count(0)
    desktop.reload()
    expect(desktop.get_by_text("Good first questions")).to_be_visible()
    expect(desktop.locator(".turn")).to_have_count(0)
