"""Placeholders are filled once, and an empty one leaves no scar."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.agent.prompts.render import render


def test_a_value_that_looks_like_a_placeholder_stays_as_it_is() -> None:
    assert render("{{a}} and {{b}}", {"a": "{{b}}", "b": "x"}) == "{{b}} and x"


@pytest.mark.parametrize(
    ("template", "values", "expected"),
    [
        ("top\n{{a}}\n{{b}}\nbottom", {}, "top\nbottom"),
        ("top\n\n{{a}}\n\nbottom", {}, "top\n\nbottom"),
        ("- one{{more}}", {"more": "\n- two"}, "- one\n- two"),
        ("- one{{more}}", {"more": ""}, "- one"),
        ("- one{{more}}", {"more": None}, "- one"),
        ("You are responding to: {{name}}", {}, ""),
        ("- Their role: {{role}}\n- next", {}, "- next"),
        ("LIST:\n{{items}}\n\nrest", {}, "rest"),
        ("LIST:\n{{items}}{{note}}", {}, ""),
        ("LIST:\n{{items}}\n- always", {}, "LIST:\n- always"),
        ("LIST:\n{{items}}", {"items": "- a\n- b"}, "LIST:\n- a\n- b"),
        ("- {{name}} ({{mail}}) wrote", {"name": "Ana"}, "- Ana wrote"),
        ('a tier ("{{tier}}"), here', {}, "a tier, here"),
        ("Sorry.{{guide}} Do not call.", {}, "Sorry. Do not call."),
        ("Sorry.{{guide}} Do not call.", {"guide": " See x."}, "Sorry. See x. Do not call."),
        ("{{ spaced }}", {"spaced": "yes"}, "yes"),
        ("{single} stays", {"single": "no"}, "{single} stays"),
        ("", {}, ""),
    ],
)
def test_what_is_empty_disappears(template: str, values: dict[str, str | None], expected: str) -> None:
    assert render(template, values) == expected


def test_blank_lines_inside_a_value_are_left_alone() -> None:
    assert render("a\n\n\n\n{{v}}", {"v": "one\n\n\n\ntwo"}) == "a\n\none\n\n\n\ntwo"


@given(st.text(min_size=1).filter(lambda text: bool(text.strip())))
def test_any_value_arrives_whole(value: str) -> None:
    assert value.rstrip().strip("\n") in render("before {{v}} after", {"v": value})
