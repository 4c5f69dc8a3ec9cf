"""Where others may take part in a run: five signatures with neutral defaults (contract §4.3, §4.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from apps.agent.kernel.types import ExecutedCall, Phase, PlannedCall, ToolResult


@dataclass(frozen=True)
class Proceed:
    """Run the tool."""


@dataclass(frozen=True)
class AnswerWith:
    """Do not run the tool; this is its result (a replayed one, for instance)."""

    result: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Refuse:
    """Do not run the tool; the model reads this sentence."""

    error: str = field(repr=False)


@dataclass(frozen=True)
class DoneOtherwise:
    """Do not run the tool: its action was taken before, with other arguments. No success of this call.

    Whether that took effect may be unknown: then `result` has `outcome_unknown`.
    """

    result: dict[str, Any] = field(repr=False)


Decision = Proceed | AnswerWith | Refuse | DoneOtherwise


class BeforeTool(Protocol):
    """Asked in the thread of the call, for several calls at once; if it raises, the call is refused."""

    def __call__(self, call: PlannedCall, /) -> Decision: ...


class AfterTool(Protocol):
    """Called in the turn's thread, one call at a time, as results come in; what it returns is the result.

    It may clean a result and doubt it, but not turn a failure into a success nor an unknown outcome into a known one.
    """

    def __call__(self, call: PlannedCall, result: ToolResult, /) -> ToolResult: ...


class AfterBatch(Protocol):
    def __call__(self, calls: Sequence[ExecutedCall], /) -> None: ...


class ChooseModel(Protocol):
    def __call__(self, phase: Phase, round_number: int, /) -> str | None: ...


class ShouldStop(Protocol):
    """Asked after each batch; true leads straight to the answer round."""

    def __call__(self) -> bool: ...


def _proceed(_call: PlannedCall, /) -> Decision:
    return Proceed()


def _unchanged(_call: PlannedCall, result: ToolResult, /) -> ToolResult:
    return result


def _nothing(_calls: Sequence[ExecutedCall], /) -> None:
    return None


def _default_model(_phase: Phase, _round_number: int, /) -> str | None:
    return None


def _go_on() -> bool:
    return False


@dataclass(frozen=True, kw_only=True)
class Hooks:
    before_tool: BeforeTool = _proceed
    after_tool: AfterTool = _unchanged
    after_batch: AfterBatch = _nothing
    choose_model: ChooseModel = _default_model
    should_stop: ShouldStop = _go_on
