"""The page fits a small phone, hostile content and the dark."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PATIENCE_MS
from tests.channels.script import searching
from tests.plugins.community import Community

pytestmark = pytest.mark.serial
expect.set_options(timeout=PATIENCE_MS)
TOUCH_PX = 44
READABLE = 4.5
WIDE = (
    f"# Heading\n\n{'a' * 400}\n\nhttps://harbour.example/{'b' * 300}\n\n"
    f"| {' | '.join('column' * 3 for _ in range(8))} |\n|{'---|' * 8}\n| {' | '.join('1' for _ in range(8))} |\n\n"
    f"```\n{'c' * 300}\n```\n\n<img src=x onerror=\"document.title='owned'\"> `{'d' * 200}`"
)
# The contrast of each visible piece of text against the nearest painted background.
CONTRASTS = """() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = numbers(getComputedStyle(e).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !element.checkVisibility()) continue;
    const [a, b] = [light(numbers(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x);
    found.push([(a + 0.05) / (b + 0.05), walker.currentNode.textContent.trim().slice(0, 30)]);
  }
  return found;
}"""
SMALL_TARGETS = f"""() => [...document.querySelectorAll("button, textarea, input, summary")]
  .filter((element) => element.checkVisibility())
  .filter((element) => element.getBoundingClientRect().height < {TOUCH_PX})
  .map((element) => element.outerHTML.slice(0, 80))"""


def _ask(page: Page, community: Community, chat_address: str) -> None:
    community.llm.answer_with(searching(WIDE))
    page.goto(chat_address)
    page.get_by_label("Message to Pilot").fill("q" * 300)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("heading", name="Heading")).to_be_visible()


def test_nothing_is_wider_than_a_small_phone(phone: Page, community: Community, chat_address: str) -> None:
    _ask(phone, community, chat_address)
    assert phone.evaluate("document.documentElement.scrollWidth") == 320
    assert phone.evaluate("document.querySelector('.scroll').scrollWidth > 320")
    assert phone.title() != "owned"


def test_everything_to_touch_is_large_enough(phone: Page, community: Community, chat_address: str) -> None:
    _ask(phone, community, chat_address)
    assert phone.evaluate(SMALL_TARGETS) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_is_readable(
    desktop: Page, community: Community, chat_address: str, scheme: Literal["light", "dark"]
) -> None:
    desktop.emulate_media(color_scheme=scheme)
    _ask(desktop, community, chat_address)
    desktop.get_by_text("Details").click()
    measured = desktop.evaluate(CONTRASTS)
    assert len(measured) > 10
    assert [text for contrast, text in measured if contrast < READABLE] == []
