"""All calls of one round, side by side in threads, each with its own deadline (contract §4.3)."""

import contextvars
import time
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from queue import Empty, SimpleQueue

from apps.agent.kernel import results, shaping
from apps.agent.kernel.events import Events
from apps.agent.kernel.shield import shielded
from apps.agent.kernel.threads import THREADS
from apps.agent.kernel.toolbox import label_of
from apps.agent.kernel.types import (
    ExecutedCall,
    PlannedCall,
    ReadCall,
    RejectedCall,
    RepeatedCall,
    RunContext,
    ToolResult,
)
from apps.agent.kernel.work import Slot, Verdict, Worker

# How often the turn looks up from its waiting: at deadlines and at whether somebody cancelled.
_GLANCE_SECONDS = 0.1


def run_batch(
    calls: Sequence[ReadCall], *, earlier: Sequence[ExecutedCall], context: RunContext, events: Events
) -> list[ExecutedCall]:
    """One result for each call, in the order of the calls, whatever the tools do.

    `earlier` are the run's calls so far, for those that ask for the same action once more.
    """
    return _Batch(context, events).run(calls, earlier=earlier)


class _Batch:
    """Lives in the turn's thread: starts calls, takes in verdicts, gives up on what is overdue."""

    def __init__(self, context: RunContext, events: Events) -> None:
        self._context = context
        self._events = events
        self._news: SimpleQueue[tuple[Slot, Verdict]] = SimpleQueue()
        self._worker = Worker(
            context, events=events, report=lambda slot, verdict: self._news.put((slot, verdict))
        )
        self._running: dict[int, Slot] = {}
        self._done: dict[int, ExecutedCall] = {}

    def run(self, calls: Sequence[ReadCall], *, earlier: Sequence[ExecutedCall]) -> list[ExecutedCall]:
        waiting = deque(self._admitted(calls))
        while waiting or self._running:
            if shielded(self._context.cancelled, otherwise=False, what="the cancel check"):
                self._abandon(waiting)
                break
            while waiting and len(self._running) < max(1, self._context.limits.tool_workers):
                self._start(waiting.popleft())
            self._wait()
            self._give_up_overdue()
        self._answer_repeats(calls, earlier=earlier)
        return [self._done[position] for position in range(len(calls))]

    def _admitted(self, calls: Sequence[ReadCall]) -> Iterator[Slot]:
        for position, call in enumerate(calls):
            if isinstance(call, PlannedCall):
                yield Slot(position, call, seconds=self._seconds_for(call))
            elif isinstance(call, RejectedCall):
                self._done[position] = shaping.turned_away(call)
                self._events.tool(call.id, name=call.name, label=call.label, status="failed")

    def _answer_repeats(self, calls: Sequence[ReadCall], *, earlier: Sequence[ExecutedCall]) -> None:
        """Last, since the call they repeat may be one of this batch."""
        repeats = [(position, call) for position, call in enumerate(calls) if isinstance(call, RepeatedCall)]
        known = {call.id: call for call in (*earlier, *self._done.values())} if repeats else {}
        for position, call in repeats:
            self._done[position] = shaping.repeated(call, first=known[call.first])
            self._show(call, _status(self._done[position]))

    def _seconds_for(self, call: PlannedCall) -> float:
        seconds = call.tool.timeout_seconds
        return self._context.limits.tool_timeout_seconds if seconds is None else seconds

    def _start(self, slot: Slot) -> None:
        self._running[slot.position] = slot
        slot.start()
        self._show(slot.call, "running")
        own_context = contextvars.copy_context()
        try:
            THREADS.run(partial(own_context.run, self._worker.work, slot))
        except RuntimeError as error:
            self._settle(slot, Verdict("raised", results.raised(error, tool=slot.call.tool, begun=False)))

    def _wait(self) -> None:
        deadlines = [slot.deadline for slot in self._running.values() if slot.deadline is not None]
        patience = min(deadlines, default=float("inf")) - time.monotonic()
        try:
            self._settle(*self._news.get(timeout=min(max(patience, 0.001), _GLANCE_SECONDS)))
        except Empty:
            return

    def _give_up_overdue(self) -> None:
        for slot in [*self._running.values()]:
            if slot.expire():
                result = results.overdue(slot.call.tool, seconds=slot.seconds, begun=slot.begun)
                self._settle(slot, Verdict("timed_out", result))

    def _abandon(self, waiting: Sequence[Slot]) -> None:
        """Cancelled: what has not begun never will, what runs is left to itself, what is done counts."""
        self._running.update((slot.position, slot) for slot in waiting)
        for slot in [*self._running.values()]:
            if slot.settle():
                self._settle(slot, Verdict("cancelled", results.stopped(slot.call.tool, begun=slot.begun)))
        while self._running:
            self._settle(*self._news.get())

    def _settle(self, slot: Slot, verdict: Verdict) -> None:
        del self._running[slot.position]
        # An answer in place of the tool stands for a call that ran before.
        counts = slot.begun or verdict.outcome == "answered"
        doubtful = counts or verdict.outcome == "done_otherwise"
        result = self._after(slot.call, verdict.result, begun=counts, doubtful=doubtful)
        call = shaping.executed(
            slot.call, result, outcome=verdict.outcome, begun=counts, duration_ms=slot.elapsed_ms
        )
        self._done[slot.position] = call
        self._show(slot.call, _status(call))

    def _after(self, call: PlannedCall, returned: object, *, begun: bool, doubtful: bool) -> ToolResult:
        shape = partial(shaping.shaped, tool=call.tool, begun=begun, doubtful=doubtful)
        result = shape(returned)
        facts = shaping.Facts(result)
        cleaned = shielded(
            lambda: shape(self._context.hooks.after_tool(call, result)),
            otherwise=results.withheld(call.tool, begun=begun),
            what="after_tool",
        )
        return facts.kept_in(cleaned)

    def _show(self, call: PlannedCall | RepeatedCall, status: str) -> None:
        self._events.tool(call.id, name=call.tool.name, label=label_of(call.tool), status=status)


def _status(call: ExecutedCall) -> str:
    if call.success:
        return "done"
    return "unknown" if call.unknown_outcome else "failed"
