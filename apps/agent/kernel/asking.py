"""The two ways to put a question to the model: as a round of the loop, or for a composed reply (contract §4.1)."""

from collections.abc import Sequence

from apps.agent.kernel.closed_rounds import judged_closed
from apps.agent.kernel.model_call import ask_model, stop_if_cancelled
from apps.agent.kernel.phases import instruction
from apps.agent.kernel.reading import Reading, read
from apps.agent.kernel.shield import shielded
from apps.agent.kernel.state import RunState
from apps.agent.kernel.types import ChatRequest, Message, Phase


def ask_round(state: RunState, phase: Phase, *, number: int, nudge: str = "") -> Reading:
    """`number` is the planning round meant, which a nudge repeats; the request counts on."""
    context, planning, count = state.context, phase == "planning", state.rounds + 1
    note = instruction(phase, number=number, most=state.planning_rounds, texts=context.phases)
    request = ChatRequest(
        # A fresh list each time: the instruction goes out with this request and is never kept.
        messages=[*state.messages, _with(note, nudge)],
        tools=state.toolbox.offered() if planning else None,
        purpose=context.purposes.planning if planning else context.purposes.answer,
        phase=phase,
        round=count,
        role="planner" if planning else "default",
        model=_chosen_model(state, phase, count),
    )
    return _put(state, request)


def ask_composer(
    state: RunState, messages: Sequence[Message], *, purpose: str, temperature: float
) -> Reading:
    count = state.rounds + 1
    request = ChatRequest(
        messages=[*messages],
        tools=None,
        purpose=purpose,
        phase="answer",
        round=count,
        role="planner",
        model=_chosen_model(state, "answer", count),
        temperature=temperature,
    )
    return _put(state, request)


def _chosen_model(state: RunState, phase: Phase, count: int) -> str | None:
    choose = state.context.hooks.choose_model
    return shielded(lambda: choose(phase, count), otherwise=None, what="choose_model")


def _put(state: RunState, request: ChatRequest) -> Reading:
    state.events.phase(request.phase, round_number=request.round)
    reply = ask_model(request, context=state.context, on_attempt=state.count_attempt)
    state.rounds += 1
    stop_if_cancelled(state.context)
    names = state.toolbox.names
    reading = read(reply, tools=names, tools_ran=state.tools_ran)
    if request.tools is not None:
        return reading
    return judged_closed(
        reading, calls=state.calls, has_tools=bool(names), told=state.told_that_a_plan_is_no_answer
    )


def _with(note: Message, nudge: str) -> Message:
    return {**note, "content": f"{note['content']}\n\n{nudge}"} if nudge else note
