"""Root's kernel on the workload, with all that a turn of the platform hangs on it in memory.

Hooks: a gate that notes its intent before a call, disarming and fencing of every result, a look at every batch.
Truncation and argument validation are always on; in the end the run is serialised as its
record, which keeps arguments and outcomes and no contents.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from apps.agent import fencing
from apps.agent.kernel import (
    ChatReply,
    ChatRequest,
    ExecutedCall,
    Hooks,
    KernelTool,
    PlannedCall,
    Proceed,
    RunContext,
    RunResult,
    ToolCall,
    ToolCallContext,
    run,
)
from scripts.bench import workload

_STRING, _INTEGER = {"type": "string"}, {"type": "integer"}
_TIER = {"type": "string", "enum": ["member", "mentor", "any"]}
_PARAMETERS: dict[str, dict[str, Any]] = {
    "search_pages": {"query": _STRING, "limit": _INTEGER},
    "find_people": {"query": _STRING, "tier": _TIER},
    "get_event": {"event_id": _STRING},
    "list_rooms": {"day": _STRING, "seats": _INTEGER},
    "check_weather": {"city": _STRING, "days": _INTEGER},
}
_MESSAGES = [
    {"role": "system", "content": workload.SYSTEM},
    *[{"role": role, "content": text} for role, text in workload.HISTORY],
    {"role": "user", "content": workload.QUESTION},
]
_REPLIES = [
    ChatReply(
        text=workload.PLAN,
        tool_calls=tuple(ToolCall(id=i, name=name, arguments=arguments) for i, name, arguments in batch),
        finish_reason="tool_calls",
    )
    for batch in workload.ROUNDS
]
_ANSWER = ChatReply(text=workload.ANSWER)


def one_turn() -> None:
    """The tools are declared anew, as the surface of each turn is."""
    record = _Record()
    context = RunContext(
        run_id=uuid4(),
        messages=_MESSAGES,
        tools=[_kernel_tool(function) for function in workload.TOOLS],
        chat=_model,
        hooks=Hooks(
            before_tool=record.intend,
            after_tool=_disarmed,
            after_batch=record.note,
            choose_model=lambda _phase, _round: None,
            should_stop=lambda: False,
        ),
        on_event=record.events.append,
        frame=fencing.Fence().around,
    )
    result = run(context)
    assert result.text == workload.ANSWER and len(result.calls) == workload.CALLS_IN_A_TURN and result.success
    assert record.serialised(result)


class _Record:
    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self._journal: list[str] = []
        self._batches: list[list[str]] = []

    def intend(self, call: PlannedCall) -> Proceed:
        intent = {"id": str(call.invocation_id), "tool": call.name, "arguments": call.arguments}
        self._journal.append(json.dumps(intent))
        return Proceed()

    def note(self, calls: Sequence[ExecutedCall]) -> None:
        self._batches.append([call.name for call in calls if call.success])

    def serialised(self, result: RunResult) -> str:
        calls = [
            {
                "id": call.id,
                "invocation": str(call.invocation_id),
                "tool": call.name,
                "arguments": call.arguments,
                "round": call.round,
                "success": call.success,
                "outcome": call.outcome,
                "ms": call.duration_ms,
                "found": len(call.result.get("data") or ()),
            }
            for call in result.calls
        ]
        whole = {"text": result.text, "rounds": result.rounds, "calls": calls, "events": self.events}
        return json.dumps({**whole, "recoveries": result.recoveries, "batches": self._batches})


def _model(request: ChatRequest) -> ChatReply:
    return _REPLIES[request.round - 1] if request.round <= len(_REPLIES) else _ANSWER


def _kernel_tool(function: Callable[..., dict[str, Any]]) -> KernelTool:
    name, properties = function.__name__, _PARAMETERS[function.__name__]

    def execute(arguments: dict[str, Any], _call: ToolCallContext) -> dict[str, Any]:
        return function(**arguments)

    return KernelTool(
        name=name,
        description=function.__doc__ or "",
        parameters={
            "type": "object",
            "properties": properties,
            "required": [next(iter(properties))],
            "additionalProperties": False,
        },
        mutates=False,
        label=name,
        execute=execute,
    )


def _disarmed(_call: PlannedCall, result: dict[str, Any]) -> dict[str, Any]:
    clean, notes = fencing.disarmed(result)
    assert not fencing.found(notes)
    return clean
