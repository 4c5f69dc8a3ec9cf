"""The kernel's hooks as this platform fills them (contract §4.3, §4.6, §4.7)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from apps.agent import fencing
from apps.agent.kernel.hooks import Decision, Hooks, Proceed, Refuse
from apps.agent.kernel.types import ExecutedCall, PlannedCall, ToolResult
from apps.agent.listener import Listener
from apps.agent.record.calls import Finding
from apps.agent.record.journal import Journal
from apps.agent.record.run import RunRecord
from apps.foundation.database import give_back

ONLY_A_REPLAY = (
    "Not run: this is a replay of a question, in which nothing is changed and nobody is told anything."
)
AfterWork = Callable[[Sequence[ExecutedCall]], None]

# What looks at every finished batch (alerts, use of sources). Whoever belongs here appends when its app is ready,
# puts its work on a queue and returns at once.
AFTER_BATCH: list[AfterWork] = []
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class TurnHooks:
    """The hooks of one turn. ``journal`` is None in a replay, which changes nothing and leaves no trace."""

    listener: Listener
    record: RunRecord
    journal: Journal | None
    _tools_ran: bool = field(default=False, init=False)

    def hooks(self) -> Hooks:
        return Hooks(
            before_tool=self._before_tool, after_tool=self._after_tool, after_batch=self._after_batch
        )

    def is_over(self) -> bool:
        """Should the run stop now: an explicit cancel at once, a listener who left only while no tool has run."""
        return self.listener.cancelled() or (not self._tools_ran and self.listener.left())

    def _before_tool(self, call: PlannedCall) -> Decision:
        # From here on something may happen that stopping would not undo.
        self._tools_ran = True
        if not call.tool.mutates:
            return Proceed()
        return Refuse(ONLY_A_REPLAY) if self.journal is None else self.journal.decide(call)

    def _after_tool(self, call: PlannedCall, result: ToolResult) -> ToolResult:
        flight = result.pop("flight", None)
        clean, notes = fencing.disarmed(result)
        told = fencing.found(notes)
        if told:
            _log.warning("signs of an injection in a result of %s: %s", call.name, told)
        self.record.findings[call.id] = Finding(
            notes=told, flight=flight if isinstance(flight, dict) else None
        )
        if call.tool.mutates and self.journal is not None:
            self._journalled(self.journal, call, clean)
        return clean

    def _journalled(self, journal: Journal, call: PlannedCall, result: ToolResult) -> None:
        try:
            journal.complete(call, result)
        except Exception:  # noqa: BLE001 - the action has happened, whatever became of its row
            # The intent stays without a result: a re-run will say that nobody knows, and not act again.
            _log.exception("the result of an action could not be journalled: %s", call.invocation_id)
        finally:
            # The turn's thread goes on to wait for the other calls.
            give_back()

    def _after_batch(self, calls: Sequence[ExecutedCall]) -> None:
        for work in AFTER_BATCH if self.journal is not None else ():
            try:
                work(calls)
            except Exception:  # noqa: BLE001 - the turn goes on without it
                _log.exception("work after a batch failed")
