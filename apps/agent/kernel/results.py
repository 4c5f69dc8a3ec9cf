"""The result of a tool, whatever it returned or raised, brought to one shape (contract §4.3)."""

from typing import Any

from apps.agent.kernel.plain import clean, plain
from apps.agent.kernel.shield import shielded
from apps.agent.kernel.types import ExecutedCall, KernelTool, Outcome, PlannedCall, RejectedCall, ToolResult

_DETAIL_LENGTH = 1_000
NOT_RUN = "The call was not run, because the request was stopped."
UNFIT = "The tool gave no readable result."


def failed(error: str, *, detail: str | None = None) -> ToolResult:
    result: ToolResult = {"success": False, "error": error}
    return result if detail is None else {**result, "error_detail": detail}


def raised(error: BaseException, *, tool: KernelTool, begun: bool) -> ToolResult:
    """A changing tool may raise after its work was done: a lost reply looks like this, too."""
    reason = "The tool failed unexpectedly."
    result = given_up(tool, reason=reason) if begun and tool.mutates else failed(reason)
    return {**result, "error_detail": f"{type(error).__name__}: {_said(error)}"[:_DETAIL_LENGTH]}


def given_up(tool: KernelTool, *, reason: str) -> ToolResult:
    """A thread cannot be ended from outside, so what a changing tool still does is anybody's guess."""
    if not tool.mutates:
        return failed(f"{reason} There is no result.")
    error = f"{reason} Outcome unknown: the action may or may not have taken effect. Do not repeat it."
    return {**failed(error), "outcome_unknown": True}


def stopped(tool: KernelTool, *, begun: bool) -> ToolResult:
    return given_up(tool, reason="The request was stopped.") if begun else failed(NOT_RUN)


def overdue(tool: KernelTool, *, seconds: float, begun: bool) -> ToolResult:
    if not begun:
        return failed(f"The call was not run, because it could not begin within {seconds:g} seconds.")
    return given_up(tool, reason=f"The tool did not finish within {seconds:g} seconds.")


def withheld(tool: KernelTool, *, begun: bool) -> ToolResult:
    """In place of a result that could not be cleaned and fenced: the model does not see it at all."""
    reason = "The result could not be processed."
    return given_up(tool, reason=reason) if begun else failed(f"{reason} The call was not run.")


def shaped(result: object, *, tool: KernelTool, begun: bool) -> ToolResult:
    """Only an explicit true is a success, and nothing but an object is a result.

    An action that ran and says neither that it worked nor that it failed may have done either.
    """
    may_have_acted = begun and tool.mutates
    fields = shielded(lambda: _fields(result), otherwise=None, what="reading a tool result")
    if fields is not None and (fields.pop("_told") or not may_have_acted):
        return fields
    unfit = given_up(tool, reason=UNFIT) if may_have_acted else failed(UNFIT)
    return {**unfit, "error_detail": f"returned {type(result).__name__}"}


def _fields(result: object) -> ToolResult | None:
    if not isinstance(result, dict):
        return None
    told = result.get("success")
    return {**result, "success": told is True, "_told": isinstance(told, bool)}


def executed(
    call: PlannedCall, result: ToolResult, *, outcome: Outcome, begun: bool, duration_ms: int
) -> ExecutedCall:
    data = _data(result, tool=call.tool, begun=begun)
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
    """Plain data without images at the top and without details at any depth."""
    kept = {key: value for key, value in result.items() if key != "images"}
    reason = "The result of the tool could not be read."
    unreadable = given_up(tool, reason=reason) if begun and tool.mutates else failed(reason)
    data: ToolResult = shielded(
        lambda: plain(kept, without=frozenset({"error_detail"})),
        otherwise=unreadable,
        what="reading a tool result",
    )
    return data


def _detail(value: Any) -> str | None:
    return None if value is None else _said(value)[:_DETAIL_LENGTH]


def _said(value: object) -> str:
    """Total: in a tool's thread an exception on the way to the report would leave the turn waiting."""
    try:
        return clean(str(value))
    except BaseException:  # noqa: BLE001 - an object that cannot say what it is
        return f"<{type(value).__name__}>"


def _images(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else ()
