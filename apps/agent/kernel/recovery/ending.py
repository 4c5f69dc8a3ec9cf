"""The end of a run whose reply is still no answer: heuristics E and H (contract §4.4)."""

from apps.agent.kernel import wording
from apps.agent.kernel.reading import Reading
from apps.agent.kernel.recovery.composers import best_effort, exhausted_tools
from apps.agent.kernel.recovery.telling import as_paragraphs, listed
from apps.agent.kernel.state import RunState
from apps.agent.kernel.types import Recovery, RunResult


def last_resort(state: RunState, reading: Reading) -> RunResult:
    """Where tools were on offer and none ran there is nothing a reply could rest on, so none is composed.

    A list whose nudge another hiccup has spent meets the composers instead, whose rules say the same: one that
    comes again is sent. Where nothing can be composed it could not be asked about, and is sent as it is.
    """
    announced = reading.problem == "announcement"
    if state.toolbox.names and not state.tools_ran:
        if announced:
            return state.result(reading.sendable)
        return _without_words(state, wording.NO_ANSWER, recovery="fail_closed")
    state.told_that_a_plan_is_no_answer |= announced
    composed = exhausted_tools(state) or best_effort(state)
    if composed is not None:
        return state.result(composed.sendable)
    if state.tools_ran:
        return _without_words(state, wording.NO_ANSWER_AFTER_TOOLS, recovery="tool_derived_fallback")
    return _without_words(state, wording.NO_ANSWER, recovery="fail_closed")


def _without_words(state: RunState, sentence: str, *, recovery: Recovery) -> RunResult:
    """Not one word of the model: what it wrote was no answer. What became of the steps is known for certain."""
    state.recoveries.append(recovery)
    steps = listed(state.work(), under=wording.WHAT_HAPPENED)
    return state.result(as_paragraphs(sentence, steps), failure="no_answer")
