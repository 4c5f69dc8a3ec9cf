"""What a person gets to read at the end."""

from __future__ import annotations

import pytest

from tests.fakes.kernel import call, calls, play, says, tool

PRETENDED = '{"name": "lookup", "arguments": {"q": "x"}}'
BUSY = [calls(call("lookup")), calls(call("lookup"))]


@pytest.mark.parametrize(
    "text",
    [
        "",
        None,
        "  \n\u200b",
        "👍🎉",
        "Sources:\n- Handbook",
        PRETENDED,
        f"<tool_call>{PRETENDED}</tool_call>",
        "…",
    ],
)
def test_no_words_become_an_honest_failure(text: str | None) -> None:
    result = play([*BUSY, says(text)], tool())
    assert (result.success, result.failure) == (False, "no_answer")
    assert "try again" in result.text
    assert '"name"' not in result.text


def test_a_cut_answer_says_so() -> None:
    result = play([*BUSY, says("The list has these entries: one, two", finish_reason="length")], tool())
    assert result.text.startswith("The list has these entries: one, two\n\n(")
    assert "cut off" in result.text
    assert result.success


def test_an_answer_loses_the_call_it_acts_out() -> None:
    result = play([*BUSY, says(f"The office is open until six.\n<tool_call>{PRETENDED}</tool_call>")], tool())
    assert (result.text, result.success) == ("The office is open until six.", True)


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_a_broken_off_answer_says_so(reason: str) -> None:
    result = play([*BUSY, says("The three steps are: first, take the", finish_reason=reason)], tool())
    assert result.text.startswith("The three steps are: first, take the\n\n(This answer was ")
    assert result.success


def test_an_answer_repeated_with_an_acted_out_call_is_sent_without_it() -> None:
    answer = says(f"The office is open until six.\n<tool_call>{PRETENDED}</tool_call>")
    result = play([*BUSY, answer, answer], tool())
    assert (result.text, result.success) == ("The office is open until six.", True)


def test_unsendable_characters_are_replaced() -> None:
    assert play([says("Here you are:\x00 \ud83d and more")]).text == "Here you are:\ufffd \ufffd and more"


def test_a_list_in_the_answer_round_is_an_answer() -> None:
    text = "These are open today:\n- library\n- lab\n- kitchen"
    assert play([*BUSY, says(text)], tool()).text == text
