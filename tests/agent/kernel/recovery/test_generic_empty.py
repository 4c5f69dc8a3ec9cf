"""F: any other reply that is no answer is asked for once more, in the phase it came in."""

from __future__ import annotations

import pytest

from tests.fakes.kernel import Model, call, calls, play, says, tool

ANSWER = "The library opens at nine on weekdays."
BUSY = [calls(call("lookup")), calls(call("lookup"))]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it had no text"),
        ("🎉", "it was an emoji"),
        ("Sources:\n- Handbook", "it named sources"),
        ("Yes, at five.", "it was too short"),
        ('{"name": "lookup", "arguments": {}}', "it wrote a tool call out as text"),
    ],
)
def test_the_answer_round_is_repeated_with_a_reason(text: str, why: str) -> None:
    model = Model([*BUSY, says(text), says(ANSWER)])
    result = play(model, tool())
    assert model.phases == ["planning", "planning", "answer", "answer"]
    assert why in model.requests[-1].messages[-1]["content"]
    assert model.requests[-1].tools is None
    assert (result.text, result.success) == (ANSWER, True)
    assert result.recoveries == ("generic_empty_retry",)


def test_a_lone_list_of_sources_is_asked_again_with_tools_open() -> None:
    model = Model([says("Sources: handbook"), says(ANSWER)])
    result = play(model, tool())
    assert model.phases == ["planning", "planning"]
    assert (result.text, result.recoveries) == (ANSWER, ("generic_empty_retry",))


def test_it_shares_its_counter_with_the_stall() -> None:
    model = Model([BUSY[0], says(""), BUSY[1], says(""), says(ANSWER)])
    result = play(model, tool())
    assert result.recoveries == ("tool_stall_retry", "exhausted_tools_composition")
    assert result.text == ANSWER


def test_without_tools_a_blank_reply_is_asked_again() -> None:
    result = play([says(""), says("Hi.")])
    assert (result.text, result.success, result.rounds) == ("Hi.", True, 2)
