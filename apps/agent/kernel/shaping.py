"""What a tool returned, brought to one shape and joined with what the kernel knows of the call (contract §4.3)."""

from typing import Any

from apps.agent.kernel.plain import plain, said
from apps.agent.kernel.results import DETAIL_LENGTH, IN_DOUBT, RAN_WITHOUT, UNFIT, again, failed, given_up
from apps.agent.kernel.shield import shielded
from apps.agent.kernel.types import (
    ExecutedCall,
    KernelTool,
    Outcome,
    PlannedCall,
    RejectedCall,
    RepeatedCall,
    ToolResult,
)

_NO_DATA = frozenset({"images", "arguments_unread"})


def shaped(result: object, *, tool: KernelTool, begun: bool, doubtful: bool) -> ToolResult:
    """Only an explicit true is a success, unless it is in doubt, and nothing but an object is a result.

    An action that ran and says neither that it worked nor that it failed may have done either. Where nothing can
    have happened, `doubtful` is false, and no result can make it so.
    """
    may_have_acted = begun and tool.mutates
    fields = shielded(
        lambda: _fields(result), otherwise=None, what="reading a tool result", against=BaseException
    )
    if fields is None or (may_have_acted and not isinstance(fields.get("success"), bool)):
        unfit = given_up(tool, reason=UNFIT) if may_have_acted else failed(UNFIT)
        return {**unfit, "error_detail": f"returned {type(result).__name__}"}
    if doubtful and _holds(fields.get("outcome_unknown")):
        return _doubted(fields)
    fields.pop("outcome_unknown", None)
    return {**fields, "success": fields.get("success") is True}


def _fields(result: object) -> ToolResult | None:
    return {**result} if isinstance(result, dict) else None


def _doubted(fields: ToolResult) -> ToolResult:
    """Whatever else it says. Beside its own error, if it has one, it carries the flag that everybody asks for."""
    error = fields.get("error")
    return {
        **fields,
        "success": False,
        "error": error if _holds(error) else IN_DOUBT,
        "outcome_unknown": True,
    }


def _holds(value: object) -> bool:
    """What cannot even say whether it is true is not nothing."""
    return shielded(lambda: bool(value), otherwise=True, what="reading a tool result", against=BaseException)


class Facts:
    """What the kernel knows of a call, whatever is made of its result afterwards."""

    def __init__(self, result: ToolResult) -> None:
        self._succeeded = result["success"]
        self._unknown = result.get("outcome_unknown") is True

    def kept_in(self, result: ToolResult) -> ToolResult:
        """A failure stays one, and so does a doubt."""
        if self._unknown:
            return _doubted(result)
        return result if self._succeeded else {**result, "success": False}


def executed(
    call: PlannedCall, result: ToolResult, *, outcome: Outcome, begun: bool, duration_ms: int
) -> ExecutedCall:
    data = _data(result, tool=call.tool, begun=begun)
    if call.unread and begun:
        data = {**data, "arguments_unread": RAN_WITHOUT}
    return ExecutedCall(
        id=call.id,
        name=call.name,
        arguments=call.arguments,
        round=call.round,
        outcome=outcome,
        result=data,
        success=data["success"],
        duration_ms=duration_ms,
        begun=begun,
        invocation_id=call.invocation_id,
        mutates=call.tool.mutates,
        unknown_outcome=data.get("outcome_unknown") is True,
        error_detail=_detail(result.get("error_detail")),
        images=_images(result.get("images")),
    )


def repeated(call: RepeatedCall, *, first: ExecutedCall) -> ExecutedCall:
    """It changes nothing itself. That the action was done otherwise is as true the second time."""
    return ExecutedCall(
        id=call.id,
        name=call.tool.name,
        arguments=call.arguments,
        round=call.round,
        outcome=first.outcome if first.outcome == "done_otherwise" else "repeated",
        result=again(first),
        success=first.success,
        repeats=first.id,
        begun=False,
        unknown_outcome=first.unknown_outcome,
    )


def turned_away(call: RejectedCall) -> ExecutedCall:
    return ExecutedCall(
        id=call.id,
        name=call.name,
        arguments=call.arguments,
        round=call.round,
        outcome=call.outcome,
        result=failed(call.error),
        success=False,
        begun=False,
    )


def _data(result: ToolResult, *, tool: KernelTool, begun: bool) -> ToolResult:
    """Plain data without images at the top and without details at any depth.

    Nor with what the kernel alone says of a call: how its arguments were read is not the tool's to tell.
    """
    kept = {key: value for key, value in result.items() if key not in _NO_DATA}
    reason = "The result of the tool could not be read."
    unreadable = given_up(tool, reason=reason) if begun and tool.mutates else failed(reason)
    data: ToolResult = shielded(
        lambda: plain(kept, without=frozenset({"error_detail"})),
        otherwise=unreadable,
        what="reading a tool result",
        against=BaseException,
    )
    return data


def _detail(value: Any) -> str | None:
    return None if value is None else said(value)[:DETAIL_LENGTH]


def _images(value: Any) -> tuple[Any, ...]:
    """A list as tools hand it over; of anything else nobody knows whether it ever ends."""
    if not isinstance(value, (list, tuple)):
        return ()
    nothing: tuple[Any, ...] = ()
    return shielded(lambda: tuple(value), otherwise=nothing, what="reading the images", against=BaseException)
