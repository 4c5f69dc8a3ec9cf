"""The results of calls that brought none of their own: failed, raised, given up on (contract §4.3)."""

from apps.agent.kernel.plain import said
from apps.agent.kernel.types import ExecutedCall, KernelTool, ToolResult

DETAIL_LENGTH = 1_000
NOT_RUN = "The call was not run, because the request was stopped."
UNFIT = "The tool gave no readable result."
# The beginning says it all: of a long result, or of many, no more than that may be left.
RAN_WITHOUT = (
    "It ran with none of the arguments written for this call, because they could not be read as a JSON object. This "
    "is not the result of what was asked for: read it as such, or send the call again."
)
DONE_BEFORE = (
    "Already done in this turn with the same arguments, so not done again. earlier_result is what it gave."
)
DOUBTED_BEFORE = (
    "Not run again: the same action was begun earlier in this turn, and whether it took effect is unknown. Do not "
    "repeat it."
)
NOT_TWICE = "Not run a second time: the same call was made already. earlier_result is what came of that."
IN_DOUBT = "Outcome unknown: the action may or may not have taken effect. Do not repeat it."


def failed(error: str, *, detail: str | None = None) -> ToolResult:
    result: ToolResult = {"success": False, "error": error}
    return result if detail is None else {**result, "error_detail": detail}


def raised(error: BaseException, *, tool: KernelTool, begun: bool) -> ToolResult:
    """A changing tool may raise after its work was done: a lost reply looks like this, too."""
    reason = "The tool failed unexpectedly."
    result = given_up(tool, reason=reason) if begun and tool.mutates else failed(reason)
    return {**result, "error_detail": f"{type(error).__name__}: {said(error)}"[:DETAIL_LENGTH]}


def given_up(tool: KernelTool, *, reason: str) -> ToolResult:
    """A thread cannot be ended from outside, so what a changing tool still does is anybody's guess."""
    if not tool.mutates:
        return failed(f"{reason} There is no result.")
    error = f"{reason} {IN_DOUBT}"
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


def again(first: ExecutedCall) -> ToolResult:
    """For a call that asks for the same action as the first one did."""
    earlier = {"earlier_result": first.result}
    if first.success:
        return {"success": True, "note": DONE_BEFORE, **earlier}
    if first.unknown_outcome:
        return {**failed(DOUBTED_BEFORE), "outcome_unknown": True, **earlier}
    return {**failed(NOT_TWICE), **earlier}


def telling_first(result: ToolResult) -> ToolResult:
    """With what matters most in front, should the rest have to be cut."""
    leading = {key: result[key] for key in ("arguments_unread", "success", "error") if key in result}
    return {**leading, **result}
