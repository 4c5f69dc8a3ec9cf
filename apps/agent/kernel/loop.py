"""The agent loop: a few rounds with tools, then one without, and no way to exceed that (contract §4.1).

The ceiling. A run gets at most P + 1 + 3 + 2 replies of the model, each in at most three attempts:
P planning rounds, one answer round, a repeated round for each of the three retry counters of
`recovery.budget`, and the composers B and C. P is max(1, limit), so 1 where the limit is nonsense, and 0
without tools. A counter is spent once in a run, and every repetition spends
one; B spends the third counter itself, so that no run in fact comes above P + 1 + 2 + 2. A greeting takes
one reply, a batch of tools two or three.
"""

from apps.agent.kernel import wording
from apps.agent.kernel.asking import ask_round
from apps.agent.kernel.batch import run_batch
from apps.agent.kernel.closed_rounds import judged_closed
from apps.agent.kernel.emptiness import repeated_empty_tool
from apps.agent.kernel.model_call import Cancelled, ModelGone, stop_if_cancelled
from apps.agent.kernel.reading import Reading
from apps.agent.kernel.recovery.composers import exhausted_tools
from apps.agent.kernel.recovery.ending import last_resort
from apps.agent.kernel.recovery.nudges import next_nudge
from apps.agent.kernel.recovery.telling import ended_early
from apps.agent.kernel.shield import shielded
from apps.agent.kernel.state import RunState
from apps.agent.kernel.transcript import batch_messages
from apps.agent.kernel.types import Phase, RunContext, RunResult


def run(context: RunContext) -> RunResult:
    """Always ends in an answer or an honest sentence on why there is none."""
    state = RunState(context)
    try:
        reading = _plan(state) or _answered(state)
        return state.result(reading.sendable) if reading.problem is None else last_resort(state, reading)
    except ModelGone as gone:
        text = ended_early(wording.LLM_FAILED, state.work())
        return state.result(text, failure="llm_failed", error=gone.failure)
    except Cancelled:
        return state.result(ended_early(wording.CANCELLED, state.work()), failure="cancelled")
    finally:
        state.events.close()


def _plan(state: RunState) -> Reading | None:
    """The rounds with tools. None: the answer round comes next."""
    for number in range(1, state.planning_rounds + 1):
        reading = _heard(state, "planning", number=number)
        if not reading.reply.tool_calls:
            return _after_words(state, reading)
        _act(state, reading)
        if repeated_empty_tool(state.calls):
            return exhausted_tools(state)
        if shielded(state.context.hooks.should_stop, otherwise=False, what="should_stop"):
            return None
    return None


def _after_words(state: RunState, reading: Reading) -> Reading | None:
    """Once a call has its result, be it a refusal, the answer is written in the round that is told to keep to the
    results; until then these words are it.

    Without calls a reading with a problem is handed on as it is: its counter is spent, no tool has brought anything
    to answer from, and one more round would only be a nudge beyond the ceiling's count.
    """
    if not state.calls:
        return None if reading.announces else reading
    judged = judged_closed(reading, calls=state.calls, has_tools=True, told=False)
    if judged.problem is None and not judged.broken_off:
        state.draft = judged
    return None


def _answered(state: RunState) -> Reading:
    """The answer round. Where it brings nothing, what a planning round wrote from the same results stands."""
    try:
        reading = _heard(state, "answer")
    except ModelGone as gone:
        if state.draft is None:
            raise
        state.error = gone.failure
        return _kept(state, state.draft)
    return reading if reading.problem is None or state.draft is None else _kept(state, state.draft)


def _kept(state: RunState, draft: Reading) -> Reading:
    state.recoveries.append("planning_text_kept")
    return draft


def _heard(state: RunState, phase: Phase, *, number: int = 0) -> Reading:
    """One round, asked again with a nudge where a recovery wants that and its counter allows it.

    The loop ends because each nudge spends a counter of the run's `Budget`, and nothing refills one.
    """
    reading = ask_round(state, phase, number=number)
    while nudge := next_nudge(state, reading, phase=phase):
        reading = ask_round(state, phase, number=number, nudge=nudge)
    return reading


def _act(state: RunState, reading: Reading) -> None:
    """Runs the batch. What the model said beside its calls is a plan to look at, never an answer."""
    context = state.context
    state.events.plan(reading.text)
    calls = state.reader.read(
        reading.reply.tool_calls, round_number=state.rounds, broken_off=reading.broken_off
    )
    batch = run_batch(calls, earlier=state.calls, context=context, events=state.events)
    state.add_batch(batch, messages=batch_messages(reading.reply, batch, context=context))
    shielded(lambda: context.hooks.after_batch(tuple(batch)), otherwise=None, what="after_batch")
    stop_if_cancelled(context)
