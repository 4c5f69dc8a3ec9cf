"""The end of a run whose reply is still no answer: heuristics E and H (contract §4.4)."""

from apps.agent.kernel import wording
from apps.agent.kernel.reading import Reading
from apps.agent.kernel.recovery.composers import best_effort, exhausted_tools
from apps.agent.kernel.recovery.telling import as_paragraphs, listed
from apps.agent.kernel.state import RunState
from apps.agent.kernel.types import RunResult


def last_resort(state: RunState, reading: Reading) -> RunResult:
    """Without a call there is nothing a reply could rest on, so where calls were possible none is composed."""
    if state.toolbox.names and not state.calls:
        return _closed(state)
    composed = exhausted_tools(state) or best_effort(state)
    if composed is not None:
        return state.result(composed.sendable)
    return _from_tools(state, reading) if state.calls else _closed(state)


def _closed(state: RunState) -> RunResult:
    state.recoveries.append("fail_closed")
    return state.result(wording.NO_ANSWER, failure="no_answer")


def _from_tools(state: RunState, reading: Reading) -> RunResult:
    """What the tools did is known for certain; a model that insists on few words has at least said those."""
    state.recoveries.append("tool_derived_fallback")
    steps = listed(state.work(), under=wording.WHAT_HAPPENED)
    if reading.problem == "trivially_short_after_tools":
        return state.result(as_paragraphs(reading.sendable, steps))
    return state.result(as_paragraphs(wording.NO_ANSWER_AFTER_TOOLS, steps), failure="no_answer")
