"""The kernel's hooks as this platform fills them (contract §4.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from apps.agent.kernel.hooks import Decision, Hooks, Proceed
from apps.agent.kernel.types import PlannedCall, ToolResult
from apps.agent.listener import Listener
from apps.foundation.text import clean


@dataclass(slots=True)
class TurnWatch:
    """Decides when a turn ends early: an explicit cancel at once, a listener who left only while no tool has run."""

    listener: Listener
    _tools_ran: bool = field(default=False, init=False)

    def hooks(self) -> Hooks:
        """The hooks that keep this watch informed and clean what tools return."""
        return Hooks(before_tool=self._before_tool, after_tool=_clean_result)

    def is_over(self) -> bool:
        """Should the run stop now?"""
        return self.listener.cancelled() or (not self._tools_ran and self.listener.left())

    def _before_tool(self, _call: PlannedCall) -> Decision:
        # From here on something may happen that stopping would not undo.
        self._tools_ran = True
        return Proceed()


def _clean_result(_call: PlannedCall, result: ToolResult) -> ToolResult:
    cleaned: ToolResult = _cleaned(result)
    return cleaned


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(str(name)): _cleaned(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(item) for item in value]
    return value
