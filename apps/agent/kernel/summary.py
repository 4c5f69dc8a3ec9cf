"""What a turn did, one line a call, for channels to show and for failures to be honest about (contract §4.4)."""

from collections.abc import Iterable, Mapping

from apps.agent.kernel.emptiness import tool_call_signals_empty
from apps.agent.kernel.toolbox import Toolbox, label_of
from apps.agent.kernel.types import ExecutedCall, KernelTool, WorkLine, WorkOutcome


def summarize(
    calls: Iterable[ExecutedCall], *, toolbox: Toolbox, progress: Mapping[str, str]
) -> tuple[WorkLine, ...]:
    return tuple(_line(call, tool=toolbox.find(call.name), progress=progress.get(call.id)) for call in calls)


def _line(call: ExecutedCall, *, tool: KernelTool | None, progress: str | None) -> WorkLine:
    """Whether it would have changed something is the tool's to say: a rejected call does not know."""
    return WorkLine(
        call_id=call.id,
        name=call.name,
        label=label_of(tool) if tool else "",
        outcome=_outcome(call),
        mutates=tool is not None and tool.mutates,
        progress=progress,
    )


def _outcome(call: ExecutedCall) -> WorkOutcome:
    if call.repeats is not None:
        return "repeated"
    if call.success:
        return "nothing_found" if tool_call_signals_empty(call.result) and not call.mutates else "done"
    if call.unknown_outcome:
        return "unknown"
    if call.outcome == "done_otherwise":
        return "done_otherwise"
    return "failed" if call.begun else "not_run"
