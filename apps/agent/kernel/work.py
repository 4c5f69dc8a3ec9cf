"""One tool call in its own thread: leave is asked, the tool runs, a verdict comes of it (contract §4.3)."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from apps.agent.kernel import results
from apps.agent.kernel.events import Events
from apps.agent.kernel.hooks import AnswerWith, Decision, DoneOtherwise, Proceed, Refuse
from apps.agent.kernel.plain import plain
from apps.agent.kernel.shield import shielded
from apps.agent.kernel.types import Outcome, PlannedCall, RunContext, ToolCallContext


@dataclass
class Slot:
    """One call under way. Its thread and the turn's both may settle it; the first to do so wins."""

    position: int
    call: PlannedCall
    seconds: float
    began_at: float = field(default_factory=time.monotonic)
    deadline: float | None = None
    begun: bool = False
    settled: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def start(self) -> None:
        """The first clock: scope and permission may hang as well as a tool."""
        self.began_at = time.monotonic()
        self.deadline = self.began_at + self.seconds

    def enter(self) -> bool:
        """From here on the tool runs, and the clock anew; false if the turn no longer wants it."""
        with self._lock:
            if not self.settled:
                self.begun = True
                self.deadline = time.monotonic() + self.seconds
            return not self.settled

    def settle(self) -> bool:
        with self._lock:
            first, self.settled = not self.settled, True
            return first

    def expire(self) -> bool:
        """Settles it if its time is over; under the lock, since the clock may start anew at this moment."""
        with self._lock:
            over = self.deadline is not None and self.deadline <= time.monotonic()
            first = over and not self.settled
            self.settled = self.settled or over
            return first

    @property
    def elapsed_ms(self) -> int:
        return round((time.monotonic() - self.began_at) * 1000)


@dataclass(frozen=True)
class Verdict:
    outcome: Outcome
    result: object


class Worker:
    """What the threads of a batch share; `report` takes each verdict that still counts."""

    def __init__(
        self, context: RunContext, *, events: Events, report: Callable[[Slot, Verdict], None]
    ) -> None:
        self._context = context
        self._events = events
        self._report = report

    def work(self, slot: Slot) -> None:
        verdict: Verdict | None = None
        try:
            with self._context.tool_scope():
                verdict = self._carry_out(slot)
        except BaseException as error:  # noqa: BLE001 - a thread that ends in silence would stall the turn
            failure = results.raised(error, tool=slot.call.tool, begun=slot.begun)
            verdict = verdict or Verdict("raised", failure)
        if slot.settle():
            self._report(slot, verdict or self._swallowed(slot))

    def _swallowed(self, slot: Slot) -> Verdict:
        """A scope that keeps exceptions to itself leaves no verdict behind."""
        lost = RuntimeError("the scope of the tool swallowed an exception")
        return Verdict("raised", results.raised(lost, tool=slot.call.tool, begun=slot.begun))

    def _carry_out(self, slot: Slot) -> Verdict:
        call = slot.call
        decision = self._decision(call)
        if isinstance(decision, AnswerWith):
            return Verdict("answered", decision.result)
        if isinstance(decision, DoneOtherwise):
            return Verdict("done_otherwise", {**decision.result, "success": False})
        if not isinstance(decision, Proceed):
            return Verdict("refused", results.failed(decision.error))
        if not slot.enter():
            return Verdict("cancelled", results.failed(results.NOT_RUN))
        return Verdict("ran", call.tool.execute(plain(call.arguments), self._surroundings(slot)))

    def _decision(self, call: PlannedCall) -> Decision:
        closed: Decision = Refuse("It could not be decided whether this call is allowed, so it was not run.")
        return shielded(lambda: self._context.hooks.before_tool(call), otherwise=closed, what="before_tool")

    def _surroundings(self, slot: Slot) -> ToolCallContext:
        def report(message: object) -> None:
            if not slot.settled:
                self._events.progress(slot.call.id, message=message)

        def cancelled() -> bool:
            return slot.settled or shielded(self._context.cancelled, otherwise=False, what="the cancel check")

        return ToolCallContext(
            call_id=slot.call.id,
            invocation_id=slot.call.invocation_id,
            report_progress=report,
            cancelled=cancelled,
        )
