"""What goes into the kernel and what comes out of it (contract §4.1, §4.3)."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol
from uuid import UUID

from apps.agent.kernel import constants
from apps.agent.kernel.hooks import Hooks
from apps.agent.kernel.phases import BUILT_IN, PhaseTexts

Message = dict[str, Any]
ToolResult = dict[str, Any]
Event = dict[str, Any]

Phase = Literal["planning", "answer"]
Role = Literal["planner", "default"]
Failure = Literal["llm_failed", "no_answer", "cancelled"]
Recovery = Literal[
    "tool_stall_retry",  # A
    "exhausted_tools_composition",  # B
    "best_effort_composition",  # C
    "missing_tool_call_retry",  # D
    "fail_closed",  # E
    "generic_empty_retry",  # F
    "unexecuted_plan_retry",  # G
    "planning_text_kept",  # before H: the answer round brought none, a planning round had
    "tool_derived_fallback",  # the end of H
]
WorkOutcome = Literal["done", "nothing_found", "failed", "unknown", "not_run", "done_otherwise", "repeated"]
Outcome = Literal[
    "ran",  # executed, whether it succeeded or not
    "answered",  # a hook supplied the result instead
    "refused",  # a hook forbade it
    "done_otherwise",  # a hook knows of the same action, taken earlier with other arguments
    "repeated",  # the same action was asked for before in this run, and this is what came of it
    "unknown_tool",
    "invalid_arguments",
    "too_many",  # beyond the number of calls one batch may hold
    "raised",
    "timed_out",
    "cancelled",
]


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """A tool call as the model wrote it: nothing about it can be relied on."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, kw_only=True)
class ChatRequest:
    messages: list[Message] = field(repr=False)
    tools: list[dict[str, Any]] | None = field(repr=False)
    purpose: str
    phase: Phase
    round: int
    model: str | None
    role: Role = "default"
    temperature: float | None = None  # None: whatever the platform is set to


@dataclass(frozen=True, kw_only=True)
class ChatReply:
    text: str | None
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str = "stop"
    reasoning_details: list[Any] | None = field(default=None, repr=False)
    model: str = ""


class ChatFailure(Exception):
    """A model call that gave no usable reply."""

    def __init__(self, code: str, message: str, *, retryable: bool) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable


class ChatPort(Protocol):
    """One call is one attempt at the model; a `ChatFailure` says whether another one may help."""

    def __call__(self, request: ChatRequest, /) -> ChatReply: ...


@dataclass(frozen=True, kw_only=True)
class ToolCallContext:
    """What a running tool may know of its call and say while it runs."""

    call_id: str
    invocation_id: UUID
    report_progress: Callable[[str], None]
    cancelled: Callable[[], bool]


@dataclass(frozen=True, kw_only=True)
class KernelTool:
    name: str
    description: str
    parameters: dict[str, Any] = field(repr=False)
    mutates: bool
    label: str
    execute: Callable[[dict[str, Any], ToolCallContext], ToolResult] = field(repr=False)
    timeout_seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class PlannedCall:
    """A call that may run: its tool exists and its arguments fit the tool's schema.

    `unread`: arguments were written, but none could be read, so it runs without.
    """

    id: str
    name: str
    arguments: dict[str, Any] = field(repr=False)
    round: int
    tool: KernelTool
    invocation_id: UUID
    unread: bool = False


@dataclass(frozen=True, kw_only=True)
class RepeatedCall:
    """An action that the call `first` asked for already; it is told what came of that."""

    id: str
    arguments: dict[str, Any] = field(repr=False)
    round: int
    tool: KernelTool
    first: str


@dataclass(frozen=True, kw_only=True)
class RejectedCall:
    """A call that never reaches a tool, and what the model is told about it."""

    id: str
    name: str
    arguments: dict[str, Any] = field(repr=False)
    round: int
    outcome: Outcome
    error: str
    label: str


ReadCall = PlannedCall | RepeatedCall | RejectedCall


@dataclass(frozen=True, kw_only=True)
class ExecutedCall:
    """A call with its result; `result` holds neither the detail nor the images."""

    id: str
    name: str
    arguments: dict[str, Any] = field(repr=False)
    round: int
    result: ToolResult = field(repr=False)
    success: bool
    outcome: Outcome
    duration_ms: int = 0
    repeats: str | None = None  # the call that was the first to ask for this action
    begun: bool = True  # false: neither the tool nor an answer in its place came about
    invocation_id: UUID | None = None
    mutates: bool = False
    unknown_outcome: bool = False
    error_detail: str | None = field(default=None, repr=False)
    images: tuple[Any, ...] = field(default=(), repr=False)


@dataclass(frozen=True, kw_only=True)
class Limits:
    max_planning_rounds: int = constants.MAX_PLANNING_ROUNDS
    retry_delays_ms: tuple[int, ...] = constants.LLM_CALL_RETRY_DELAYS_MS
    tool_workers: int = constants.TOOL_WORKERS
    max_batch_calls: int = constants.MAX_BATCH_CALLS
    tool_timeout_seconds: float = constants.TOOL_TIMEOUT_SECONDS
    result_cap: int = constants.TOOL_RESULT_SERIALIZED_CAP
    result_budget: int = constants.TOOL_RESULT_TRUNCATE_BUDGET
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)


@dataclass(frozen=True, kw_only=True)
class Purposes:
    """What the model calls are booked under."""

    planning: str = "agent.planning"
    answer: str = "agent.answer"
    exhausted_tools: str = "agent.tool-exhaustion-recovery"
    best_effort: str = "agent.best-effort-response-recovery"


def _never() -> bool:
    return False


def _ignore(_event: Event) -> None:
    return None


def _unframed(text: str) -> str:
    return text


@dataclass(frozen=True, kw_only=True)
class RunContext:
    """Everything one run needs.

    `tool_scope` surrounds each tool call in its own thread; `frame` the JSON of each result in the transcript.
    """

    run_id: UUID
    messages: Sequence[Message] = field(repr=False)
    tools: Sequence[KernelTool] = field(repr=False)
    chat: ChatPort = field(repr=False)
    hooks: Hooks = field(default_factory=Hooks, repr=False)
    limits: Limits = field(default_factory=Limits, repr=False)
    purposes: Purposes = field(default_factory=Purposes, repr=False)
    phases: PhaseTexts = field(default=BUILT_IN, repr=False)
    on_event: Callable[[Event], None] = field(default=_ignore, repr=False)
    cancelled: Callable[[], bool] = field(default=_never, repr=False)
    tool_scope: Callable[[], AbstractContextManager[Any]] = field(default=nullcontext, repr=False)
    frame: Callable[[str], str] = field(default=_unframed, repr=False)


@dataclass(frozen=True, kw_only=True)
class WorkLine:
    """One call as people see it. `label` is empty for a tool that does not exist; `progress` is its last word."""

    call_id: str
    name: str
    label: str
    outcome: WorkOutcome
    mutates: bool
    progress: str | None = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """`rounds` counts replies of the model, `llm_calls` attempts; `messages` ends before the final text.

    `recoveries` are in the order in which they were tried; `work` is the summary of all calls.
    """

    text: str = field(repr=False)
    success: bool
    calls: tuple[ExecutedCall, ...]
    rounds: int
    llm_calls: int
    failure: Failure | None
    messages: tuple[Message, ...] = field(repr=False)
    error: ChatFailure | None = field(default=None, repr=False)
    recoveries: tuple[Recovery, ...] = ()
    work: tuple[WorkLine, ...] = ()
