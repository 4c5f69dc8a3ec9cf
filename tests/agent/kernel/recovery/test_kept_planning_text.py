"""An answer that a planning round wrote from results stands where the answer round brings none."""

from __future__ import annotations

import pytest

from apps.agent.kernel import ChatReply, ChatRequest, Limits
from tests.fakes.kernel import Model, Step, call, calls, down, play, says, tool

DRAFT = "The library opens at nine on weekdays."
ANSWER = "On weekdays the library opens at nine, on Saturdays at ten."
BATCH = calls(call("lookup"))
PLAN = "Having a look.\n- checking hours\n- asking around\n- making tea"
NO_SLEEP = Limits(sleep=lambda _seconds: None)


def test_the_answer_round_replaces_it() -> None:
    result = play([BATCH, says(DRAFT), says(ANSWER)], tool())
    assert (result.text, result.recoveries) == (ANSWER, ())


@pytest.mark.parametrize("step", [down(), down(retryable=False)])
def test_it_is_sent_when_the_model_is_gone(step: Step) -> None:
    result = play([BATCH, says(DRAFT), step], tool(), limits=NO_SLEEP)
    assert (result.text, result.success, result.failure) == (DRAFT, True, None)
    assert result.recoveries == ("planning_text_kept",)
    assert result.error is not None


@pytest.mark.parametrize("text", ["", "👍", "Sources: x", "Ok.", '<tool_call>{"name":"lookup"}</tool_call>'])
def test_it_is_sent_when_the_answer_round_stays_empty_and_nothing_is_composed(text: str) -> None:
    model = Model([BATCH, says(DRAFT), says(text)])
    result = play(model, tool())
    assert model.phases == ["planning", "planning", "answer", "answer"]
    assert (result.text, result.recoveries) == (DRAFT, ("generic_empty_retry", "planning_text_kept"))


@pytest.mark.parametrize(
    "draft",
    [
        says(DRAFT, finish_reason="length"),
        says(DRAFT, finish_reason="content_filter"),
        says(f'{DRAFT}\n<tool_call>{{"name":"lookup"}}</tool_call>'),
        says(PLAN),
        says("Ok."),
    ],
)
def test_what_could_not_be_sent_is_not_kept(draft: ChatReply) -> None:
    def plans_and_is_gone(request: ChatRequest) -> ChatReply:
        if request.phase == "answer":
            raise down(retryable=False)
        return draft

    result = play([BATCH, plans_and_is_gone], tool())
    assert (result.failure, "nine" in result.text) == ("llm_failed", False)
    assert "planning_text_kept" not in result.recoveries


def test_a_list_of_what_was_found_is_an_answer_as_it_is_in_the_answer_round() -> None:
    rooms = tool("lookup", lambda _a, _c: {"success": True, "data": ["Harbour", "Beacon", "Tide"]})
    text = "Free today:\n- **Harbour**: all day\n- Beacon: from ten\n- Tide"
    assert play([BATCH, says(text), down(retryable=False)], rooms).text == text


def test_words_beside_calls_are_not_kept() -> None:
    result = play([calls(call("lookup"), text=DRAFT), BATCH, down(retryable=False)], tool())
    assert (result.failure, DRAFT in result.text) == ("llm_failed", False)


def test_a_failed_call_spoils_its_success_too() -> None:
    fails = tool("lookup", lambda _a, _c: {"success": False, "error": "taken"})
    result = play([BATCH, says("That room is taken already."), down(retryable=False)], fails)
    assert (result.text, result.success) == ("That room is taken already.", False)
