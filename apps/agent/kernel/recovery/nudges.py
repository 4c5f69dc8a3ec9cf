"""Asking the model once more, with a word on what was wrong: heuristics A, D, F and G (contract §4.4)."""

from typing import Final

from apps.agent.kernel.reading import Problem, Reading
from apps.agent.kernel.state import RunState
from apps.agent.kernel.types import Phase, Recovery

_STALL: Final = """\
YOUR LAST REPLY could not be sent ({why}), although the results of your calls stand above. Tools are still \
open: if something is missing, call what is needed now, but never repeat a call that succeeded or whose \
outcome is unknown. Otherwise write in full sentences what the results above say."""

_MISSING_CALL: Final = """\
YOUR LAST REPLY could not be sent ({why}), and it called nothing. Either make the calls that this request \
needs, as real tool calls in this reply, or answer the person completely and in words: no emoji alone, and no \
call written out as text."""

_UNEXECUTED: Final = """\
YOUR LAST REPLY announced steps but made no tool call, so none of them happened. Make those calls now, as \
real tool calls in this reply. If nothing has to be looked up and the text was itself the answer, write that \
answer in full sentences."""

_GENERIC: Final = """\
YOUR LAST REPLY could not be sent: {why}. Write the whole reply now, at least one full sentence that can be \
understood on its own, from nothing but what stands above."""

_WHY: Final[dict[Problem, str]] = {
    "empty": "it had no text",
    "acted_out": "it wrote a tool call out as text, which runs nothing and is not shown to anybody",
    "emoji_only": "it was an emoji without words",
    "sources_only": "it named sources and said nothing",
    "trivially_short_after_tools": "it was too short to make sense by itself",
    "closed_call": "it called a tool, and tools are closed",
    "announcement": "it announced steps, and none will be taken any more (a list of findings is fine)",
}


def next_nudge(state: RunState, reading: Reading, *, phase: Phase) -> str | None:
    """The text to ask again with, or None: the reply is fine, or its counter is spent."""
    planning = phase == "planning"
    if planning and reading.reply.tool_calls:
        return None
    if reading.problem is not None:
        return _for_problem(state, reading.problem, planning=planning)
    # Once tools have run, a list is more likely what they found than what is to be done, and asking for
    # "those calls" would invite a second booking.
    unexecuted = planning and reading.announces and not state.calls
    if unexecuted and state.budget.spend("unexecuted_plan_retries"):
        state.told_that_a_plan_is_no_answer = True
        return _noted(state, "unexecuted_plan_retry", _UNEXECUTED)
    return None


def _for_problem(state: RunState, problem: Problem, *, planning: bool) -> str | None:
    if not state.budget.spend("empty_response_retries"):
        return None
    if problem == "announcement":
        state.told_that_a_plan_is_no_answer = True
    if planning and state.calls:
        return _noted(state, "tool_stall_retry", _STALL.format(why=_WHY[problem]))
    if planning and problem in {"empty", "emoji_only", "acted_out"}:
        return _noted(state, "missing_tool_call_retry", _MISSING_CALL.format(why=_WHY[problem]))
    return _noted(state, "generic_empty_retry", _GENERIC.format(why=_WHY[problem]))


def _noted(state: RunState, recovery: Recovery, text: str) -> str:
    state.recoveries.append(recovery)
    return text
