"""A model's thinking at the head of its reply is nobody's to read, and makes no announcement of the rest."""

from __future__ import annotations

import pytest

from tests.fakes.kernel import play, says, tool

ANSWER = "The library opens at nine."


@pytest.mark.parametrize(
    "text",
    [
        f"I should call book_room.\n</think>\n\n{ANSWER}",
        f"{ANSWER}\n<think>Was that all?",
        f"{ANSWER} <think>Was that all?</think>",
        f"<think>I should call book_room.</think> {ANSWER}",
        f"\n<thinking>\n- a\n- b\n- c\n</thinking>\n<think>more</think>\n\n{ANSWER}",
    ],
)
def test_thinking_is_dropped(text: str) -> None:
    result = play([says(text)], tool())
    assert (result.text, result.rounds) == (ANSWER, 1)


def test_thinking_that_never_ends_is_no_answer() -> None:
    assert play([says("<think>Hm, let me see"), says(ANSWER)], tool()).text == ANSWER


def test_thinking_without_an_end_amid_a_line_is_asked_for_again() -> None:
    result = play([says("Well <think>hm, let me see"), says(ANSWER)], tool())
    assert (result.text, result.rounds) == (ANSWER, 2)


CODE = [
    "Write it so:\n```xml\n<think>\nhm\n</think>\n```\nThat is all of it.",
    "Write it so:\n~~~\n</think>\n~~~\nThat is all of it.",
    "Write it so:\n```xml\n<think>\nhm",
    "Write it so:\n```xml\n<think>hm</think>\nand go on",
    "Write `a <think> b` or ``<think>`` or `x </think> y`, and ```<think> z``` too.",
]


@pytest.mark.parametrize("text", CODE)
def test_a_tag_in_code_cuts_nothing(text: str) -> None:
    result = play([says(text)], tool())
    assert (result.text, result.rounds) == (text, 1)


@pytest.mark.parametrize(
    "thought",
    [
        "<think>Use ```py\nfirst.</think>\n",
        "<think>Use `it first.</think>\n",
        "Use ```py\nfirst.\n</think>\n",
        "<think>```\nx\n```\n</think>\n",
        "I write:\n```py\nx\n</think>\n",
    ],
)
def test_code_that_a_thought_leaves_open_does_not_show_the_thought(thought: str) -> None:
    assert play([says(f"{thought}{ANSWER}")], tool()).text == ANSWER


def test_gemini_s_own_tag_is_thinking_too() -> None:
    assert play([says(f"<thought>I should book.</thought>\n{ANSWER}")], tool()).text == ANSWER


@pytest.mark.parametrize("end", ["</s>", "<end_of_turn>\n", "<eos>", "<|end_of_turn|>", "<|im_end|></s>"])
def test_the_end_of_a_message_is_no_part_of_it(end: str) -> None:
    result = play([says(f"{ANSWER}{end}")], tool())
    assert (result.text, result.rounds) == (ANSWER, 1)


def test_what_is_struck_out_stays_so() -> None:
    assert play([says(f"{ANSWER} <s>At eight.</s>")], tool()).text == f"{ANSWER} <s>At eight.</s>"


def test_lines_may_end_as_on_windows() -> None:
    code = "Write it so:\n```py\nx = 1\n```\n"
    text = f"{code}<think>Was that all?</think>{ANSWER}".replace("\n", "\r\n")
    assert play([says(text)], tool()).text == f"{code}{ANSWER}"
    acted = f"{code}<tool_call>x</tool_call>\n{ANSWER}".replace("\n", "\r\n")
    assert play([says(acted), says(ANSWER)], tool()).text == ANSWER


def test_code_in_a_list_is_code() -> None:
    text = "1. Write it so:\n    ```xml\n    <think>\n    ```\n2. That is all of it."
    assert play([says(text)], tool()).text == text


def test_talk_about_the_tag_stays() -> None:
    text = "Some models write `<think>` before they answer, and `</think>` after it."
    assert play([says(text)], tool()).text == text
