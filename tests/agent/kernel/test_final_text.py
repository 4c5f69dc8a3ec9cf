"""What a person gets to read at the end."""

from __future__ import annotations

import pytest

from tests.fakes.kernel import Model, call, calls, play, says, tool

PRETENDED = '{"name": "lookup", "arguments": {"q": "x"}}'
ANSWER = "The office is open until six today."
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


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_a_broken_off_answer_says_so(reason: str) -> None:
    result = play([*BUSY, says("The three steps are: first, take the", finish_reason=reason)], tool())
    assert result.text.startswith("The three steps are: first, take the\n\n(This answer was ")
    assert result.success


def test_an_answer_beside_an_acted_out_call_is_asked_for_without_it() -> None:
    model = Model([*BUSY, says(f"The office is open until six.\n{PRETENDED}"), says(ANSWER)])
    result = play(model, tool())
    assert "wrote a tool call out as text" in model.requests[-1].messages[-1]["content"]
    assert (result.text, result.success) == (ANSWER, True)


def test_insisted_on_it_is_not_sent_at_all() -> None:
    result = play([*BUSY, says(f"The office is open until six.\n{PRETENDED}")], tool())
    assert (result.failure, "six" in result.text) == ("no_answer", False)


def test_the_token_that_ends_a_message_is_no_part_of_it() -> None:
    result = play([*BUSY, says(f"{ANSWER}<|im_end|>\n")], tool())
    assert (result.text, result.success, result.rounds) == (ANSWER, True, 3)


def test_unsendable_characters_are_replaced() -> None:
    assert play([says("Here you are:\x00 \ud83d and more")]).text == "Here you are:\ufffd \ufffd and more"


def test_a_list_in_the_answer_round_is_an_answer() -> None:
    text = "These are open today:\n- library\n- lab\n- kitchen"
    assert play([*BUSY, says(text)], tool()).text == text
