"""The agent loop: a few rounds with tools, then one without, and no way to exceed that (contract §4.1)."""

from apps.agent.kernel import wording
from apps.agent.kernel.batch import run_batch
from apps.agent.kernel.classify import is_plan_shaped, non_answer_reason
from apps.agent.kernel.model_call import Cancelled, ModelGone, ask_model, stop_if_cancelled
from apps.agent.kernel.phases import instruction
from apps.agent.kernel.plain import clean
from apps.agent.kernel.pretended import without_pretended_calls
from apps.agent.kernel.shield import shielded
from apps.agent.kernel.state import RunState
from apps.agent.kernel.transcript import batch_messages
from apps.agent.kernel.types import ChatReply, ChatRequest, Phase, RunContext, RunResult


def run(context: RunContext) -> RunResult:
    """At most planning rounds + 1 replies of the model, each for at most three attempts."""
    state = RunState(context)
    try:
        reply = _plan(state) or _ask(state, "answer")
        return _delivered(state, reply)
    except ModelGone as gone:
        return state.result(wording.LLM_FAILED, failure="llm_failed", error=gone.failure)
    except Cancelled:
        return state.result(wording.CANCELLED, failure="cancelled")
    finally:
        state.events.close()


def _plan(state: RunState) -> ChatReply | None:
    """The rounds with tools. A reply comes back only if it already is the answer."""
    for _ in range(state.planning_rounds):
        reply = _ask(state, "planning")
        if not reply.tool_calls:
            return reply if _is_answer(state, reply) else None
        _act(state, reply)
        if shielded(state.context.hooks.should_stop, otherwise=False, what="should_stop"):
            return None
    return None


def _is_answer(state: RunState, reply: ChatReply) -> bool:
    """Once a tool has run, the answer is written in the round that is told to keep to the results."""
    text = _said(state, reply)
    pretends = text != _cleaned(reply)
    nothing = non_answer_reason(text, tools_ran=False) is not None
    return not (state.calls or pretends or nothing or is_plan_shaped(text))


def _ask(state: RunState, phase: Phase) -> ChatReply:
    context, number = state.context, state.rounds + 1
    state.events.phase(phase, round_number=number)
    request = ChatRequest(
        # A fresh list each time: the instruction goes out with this request and is never kept.
        messages=[*state.messages, instruction(phase, number=number, most=state.planning_rounds)],
        tools=state.toolbox.offered() if phase == "planning" else None,
        purpose=context.purposes.planning if phase == "planning" else context.purposes.answer,
        phase=phase,
        round=number,
        model=shielded(
            lambda: context.hooks.choose_model(phase, number), otherwise=None, what="choose_model"
        ),
    )
    reply = ask_model(request, context=context, on_attempt=state.count_attempt)
    state.rounds += 1
    stop_if_cancelled(context)
    return reply


def _act(state: RunState, reply: ChatReply) -> None:
    """Runs the batch. What the model said beside its calls is a plan to look at, never an answer."""
    context = state.context
    state.events.plan(_said(state, reply).strip())
    calls = state.reader.read(reply.tool_calls, round_number=state.rounds)
    batch = run_batch(calls, context=context, events=state.events)
    state.add_batch(batch, messages=batch_messages(reply, batch, limits=context.limits))
    shielded(lambda: context.hooks.after_batch(tuple(batch)), otherwise=None, what="after_batch")
    stop_if_cancelled(context)


def _delivered(state: RunState, reply: ChatReply) -> RunResult:
    """A short text is still sent; one without words is replaced by an honest sentence."""
    text = _said(state, reply).strip()
    reason = non_answer_reason(text, tools_ran=bool(state.calls))
    if reason not in {None, "trivially_short_after_tools"}:
        return state.result(
            wording.NO_ANSWER_AFTER_TOOLS if state.calls else wording.NO_ANSWER, failure="no_answer"
        )
    if reply.finish_reason == "length":
        text = f"{text}\n\n{wording.CUT_OFF}"
    return state.result(text)


def _said(state: RunState, reply: ChatReply) -> str:
    return without_pretended_calls(_cleaned(reply), tools=state.toolbox.names)


def _cleaned(reply: ChatReply) -> str:
    return clean(reply.text or "")
