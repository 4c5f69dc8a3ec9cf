"""What a turn did, one line a call, for channels to show and for failures to be honest about (contract §4.4)."""

from collections.abc import Iterable, Mapping

from apps.agent.kernel.emptiness import tool_call_signals_empty
from apps.agent.kernel.plain import clean
from apps.agent.kernel.toolbox import Toolbox
from apps.agent.kernel.types import ExecutedCall, WorkLine, WorkOutcome

_LABEL_LENGTH = 100
_NEVER_RUN = frozenset({"refused", "unknown_tool", "invalid_arguments", "too_many"})


def summarize(
    calls: Iterable[ExecutedCall], *, toolbox: Toolbox, progress: Mapping[str, str]
) -> tuple[WorkLine, ...]:
    return tuple(
        WorkLine(
            call_id=call.id,
            name=call.name,
            label=_label(toolbox, call.name),
            outcome=_outcome(call),
            mutates=call.mutates,
            progress=progress.get(call.id),
        )
        for call in calls
    )


def _label(toolbox: Toolbox, name: str) -> str:
    tool = toolbox.find(name)
    return " ".join(clean(tool.label or tool.name).split())[:_LABEL_LENGTH] if tool else ""


def _outcome(call: ExecutedCall) -> WorkOutcome:
    if call.success:
        return "nothing_found" if tool_call_signals_empty(call.result) and not call.mutates else "done"
    if call.unknown_outcome:
        return "unknown"
    return "not_run" if not call.begun or call.outcome in _NEVER_RUN else "failed"
