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


def raised(error: BaseException) -> ToolResult:
    detail = f"{type(error).__name__}: {error}"
    return failed("The tool failed unexpectedly.", detail=clean(detail)[:_DETAIL_LENGTH])


def given_up(tool: KernelTool, *, reason: str) -> ToolResult:
    """A thread cannot be ended from outside, so what a changing tool still does is anybody's guess."""
    if not tool.mutates:
        return failed(f"{reason} There is no result.")
    error = f"{reason} Outcome unknown: the action may or may not have taken effect. Do not repeat it."
    return {**failed(error), "outcome_unknown": True}


def stopped(tool: KernelTool, *, begun: bool) -> ToolResult:
    return given_up(tool, reason="The request was stopped.") if begun else failed(NOT_RUN)


def shaped(result: object) -> ToolResult:
    """Only an explicit true is a success, and nothing but an object is a result."""
    if not isinstance(result, dict):
        return failed(UNFIT, detail=f"returned {type(result).__name__}")
    return {**result, "success": result.get("success") is True}


def executed(call: PlannedCall, result: ToolResult, *, outcome: Outcome, duration_ms: int) -> ExecutedCall:
    data = _data(result)
    return ExecutedCall(
        id=call.id,
        name=call.name,
        arguments=call.arguments,
        round=call.round,
        outcome=outcome,
        result=data,
        success=data["success"],
        duration_ms=duration_ms,
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
    )


def _data(result: ToolResult) -> ToolResult:
    """Plain data without images at the top and without details at any depth."""
    kept = {key: value for key, value in result.items() if key != "images"}
    unreadable = failed("The result of the tool could not be read.")
    data: ToolResult = shielded(
        lambda: plain(kept, without=frozenset({"error_detail"})),
        otherwise=unreadable,
        what="reading a tool result",
    )
    return data


def _detail(value: Any) -> str | None:
    return None if value is None else clean(str(value))[:_DETAIL_LENGTH]


def _images(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else ()
