"""The agent kernel: a library that knows no framework, no app and no HTTP (contract §4)."""

from apps.agent.kernel.hooks import AnswerWith, DoneOtherwise, Hooks, Proceed, Refuse
from apps.agent.kernel.loop import run
from apps.agent.kernel.types import (
    ChatFailure,
    ChatPort,
    ChatReply,
    ChatRequest,
    ExecutedCall,
    KernelTool,
    Limits,
    PlannedCall,
    Purposes,
    Recovery,
    RunContext,
    RunResult,
    ToolCall,
    ToolCallContext,
    WorkLine,
)

__all__ = [
    "AnswerWith",
    "ChatFailure",
    "ChatPort",
    "ChatReply",
    "ChatRequest",
    "DoneOtherwise",
    "ExecutedCall",
    "Hooks",
    "KernelTool",
    "Limits",
    "PlannedCall",
    "Proceed",
    "Purposes",
    "Recovery",
    "Refuse",
    "RunContext",
    "RunResult",
    "ToolCall",
    "ToolCallContext",
    "WorkLine",
    "run",
]
