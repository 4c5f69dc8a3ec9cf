"""What a run has gathered so far, and how it becomes a result (contract §4.1)."""

from apps.agent.kernel.calls import Reader
from apps.agent.kernel.events import Events
from apps.agent.kernel.reading import Reading
from apps.agent.kernel.recovery.budget import Budget
from apps.agent.kernel.summary import summarize
from apps.agent.kernel.toolbox import Toolbox
from apps.agent.kernel.transcript import without_reasoning
from apps.agent.kernel.types import (
    ChatFailure,
    ExecutedCall,
    Failure,
    Message,
    Recovery,
    RunContext,
    RunResult,
    WorkLine,
)


class RunState:
    def __init__(self, context: RunContext) -> None:
        self.context = context
        self.events = Events(context.on_event)
        self.toolbox = Toolbox(context.tools)
        self.messages: list[Message] = [*context.messages]
        self.reader = Reader(
            self.toolbox, run_id=context.run_id, transcript=self.messages, most=context.limits.max_batch_calls
        )
        self.calls: list[ExecutedCall] = []
        self.last_batch: list[ExecutedCall] = []
        self.rounds = 0
        self.attempts = 0
        self.budget = Budget()
        self.recoveries: list[Recovery] = []
        # Since the last call; whatever is announced after that may be something new.
        self.told_that_a_plan_is_no_answer = False
        # An answer written in a planning round; the answer round may write a better one.
        self.draft: Reading | None = None
        # Of a composer: it ends no run, but whoever runs this must hear of it.
        self.error: ChatFailure | None = None

    @property
    def planning_rounds(self) -> int:
        """Without a tool there is nothing to plan."""
        return max(1, self.context.limits.max_planning_rounds) if self.toolbox.names else 0

    @property
    def tools_ran(self) -> bool:
        """A call that was refused, unknown or too late to begin was made, but nothing ran."""
        return any(call.begun for call in self.calls)

    def count_attempt(self) -> None:
        self.attempts += 1

    def add_batch(self, batch: list[ExecutedCall], *, messages: list[Message]) -> None:
        self.messages += messages
        self.calls += batch
        self.last_batch = batch
        self.reader.repeats.settle(batch)
        self.told_that_a_plan_is_no_answer = False

    def work(self) -> tuple[WorkLine, ...]:
        return summarize(self.calls, toolbox=self.toolbox, progress=self.events.last_progress)

    def result(
        self, text: str, *, failure: Failure | None = None, error: ChatFailure | None = None
    ) -> RunResult:
        """A failed call in the last batch spoils the success of a run whatever its text says."""
        return RunResult(
            text=text,
            success=failure is None and all(call.success for call in self.last_batch),
            calls=tuple(self.calls),
            rounds=self.rounds,
            llm_calls=self.attempts,
            failure=failure,
            messages=without_reasoning(self.messages),
            error=error or self.error,
            recoveries=tuple(self.recoveries),
            work=self.work(),
        )
