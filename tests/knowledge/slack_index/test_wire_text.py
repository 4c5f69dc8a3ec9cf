"""Slack's writing as people read it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.knowledge.slack_index.wire_text import MAX_CHARS, channels_in, people_in, plain

USERS = {"U0ADA": "Ada", "U0ODD": "@Odd"}
CHANNELS = {"C0OPS": "ops"}


@pytest.mark.parametrize(
    ("wire", "said"),
    [
        ("a &amp; b &lt;c&gt;", "a & b <c>"),
        ("&amp;lt; stays &amp;amp;", "&lt; stays &amp;"),
        ("&copy; &#39;", "&copy; &#39;"),
        ("<https://x.example/a?b=1&amp;c=2>", "https://x.example/a?b=1&c=2"),
        ("<https://x.example/a|the plan>", "the plan (https://x.example/a)"),
        ("<https://x.example/|x.example>", "https://x.example/"),
        ("<mailto:ada@x.example|ada@x.example>", "ada@x.example"),
        ("<tel:+351 1|+351 1>", "+351 1"),
        ("<@U0ADA> and <@U0WHO>", "@Ada and @U0WHO"),
        ("<@U0WHO|who> <@U0ODD>", "@who @Odd"),
        ("<#C0OPS> <#C0NEW|new> <#C0WHO|>", "#ops #new #C0WHO"),
        ("<!channel> <!here> <!everyone|everyone>", "@channel @here everyone"),
        ("<!subteam^S0CREW|@crew> <!subteam^S0CREW>", "@crew @subteam"),
        ("<!date^1392734382^{date}|Feb 18, 2014>", "Feb 18, 2014"),
        ("<> <|> a<b", "a<b"),
        ("1 &lt; 2 <@U0ADA>&gt;", "1 < 2 @Ada>"),
        ("  both ends  ", "both ends"),
    ],
)
def test_marks(wire: str, said: str) -> None:
    assert plain(wire, users=USERS, channels=CHANNELS) == said


def test_who_and_what_is_named() -> None:
    text = "<@U0ADA> <@U0MO|mo> <#C0OPS> <#C0NEW|new> <@u0lower>"
    assert list(people_in(text)) == ["U0ADA", "U0MO"]
    assert list(channels_in(text)) == ["C0OPS"]


def test_a_label_cannot_bring_marks_of_its_own() -> None:
    assert plain("<https://x.example|&lt;@U0ADA&gt;>", users=USERS) == "<@U0ADA> (https://x.example)"


@given(st.text(max_size=300))
def test_any_text_at_all_is_read(text: str) -> None:
    read = plain(text)
    assert "\x00" not in read and len(read) <= MAX_CHARS
    read.encode()
