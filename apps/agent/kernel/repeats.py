"""The same action with the same arguments is taken once in a turn, unless it failed (contract §4.3)."""

from collections.abc import Iterable
from typing import Any

from apps.agent.kernel.arguments import canonical
from apps.agent.kernel.types import ExecutedCall, KernelTool

_Action = tuple[str, str]


class Repeats:
    """The actions planned so far, without those that are known to have failed. Looking things up is free."""

    def __init__(self) -> None:
        self._planned: dict[_Action, str] = {}

    def first(self, tool: KernelTool, arguments: dict[str, Any], *, call_id: str) -> str | None:
        """The id of the call that was the first to ask for this action; None: it is this one."""
        if not tool.mutates:
            return None
        first = self._planned.setdefault(_action(tool.name, arguments), call_id)
        return None if first == call_id else first

    def settle(self, batch: Iterable[ExecutedCall]) -> None:
        """What failed may be tried again."""
        for call in batch:
            if call.mutates and not _may_have_happened(call):
                self._planned.pop(_action(call.name, call.arguments), None)


def _may_have_happened(call: ExecutedCall) -> bool:
    return call.success or call.unknown_outcome or call.outcome == "done_otherwise"


def _action(name: str, arguments: dict[str, Any]) -> _Action:
    return name, canonical(arguments)
