"""A scripted model for the kernel, as strict about the transcript as the strictest provider."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from apps.agent.kernel import (
    ChatFailure,
    ChatReply,
    ChatRequest,
    KernelTool,
    RunContext,
    RunResult,
    ToolCall,
    ToolCallContext,
    run,
)

RUN_ID = UUID("00000000-0000-4000-8000-000000000001")
Step = ChatReply | Exception | Callable[[ChatRequest], ChatReply]


class Refused(AssertionError):
    """A real provider would have answered 400."""


@dataclass
class Model:
    steps: list[Step]
    requests: list[ChatRequest] = field(default_factory=list)

    def __call__(self, request: ChatRequest) -> ChatReply:
        check_transcript(request)
        self.requests.append(request)
        step = self.steps[min(len(self.requests), len(self.steps)) - 1]
        if isinstance(step, Exception):
            raise step
        return step(request) if callable(step) else step

    @property
    def phases(self) -> list[str]:
        return [request.phase for request in self.requests]


def check_transcript(request: ChatRequest) -> None:
    """Each call answered once, directly after it, in order; every argument a JSON object; UTF-8 all through."""
    json.dumps(request.messages, ensure_ascii=False, allow_nan=False).encode()
    position, seen = 0, set()
    while position < len(request.messages):
        message = request.messages[position]
        position += 1
        calls = message.get("tool_calls") or []
        if message["role"] == "tool":
            raise Refused("a tool message without a call")
        for call in calls:
            if not isinstance(json.loads(call["function"]["arguments"]), dict):
                raise Refused("arguments are no object")
            if not call["id"] or call["id"] in seen:
                raise Refused("an id is empty or repeated")
            seen.add(call["id"])
            answer = request.messages[position]
            if answer["role"] != "tool" or answer["tool_call_id"] != call["id"]:
                raise Refused("a call without its answer")
            position += 1


def says(text: str | None, **more: Any) -> ChatReply:
    return ChatReply(text=text, **more)


def calls(*wanted: ToolCall, text: str | None = None, **more: Any) -> ChatReply:
    return ChatReply(text=text, tool_calls=wanted, finish_reason="tool_calls", **more)


def call(name: str, arguments: str = "{}", *, call_id: str = "") -> ToolCall:
    return ToolCall(id=call_id, name=name, arguments=arguments)


def down(*, retryable: bool = True) -> ChatFailure:
    return ChatFailure("http_503" if retryable else "http_402", "the provider said no", retryable=retryable)


class Gate:
    """Holds tools until a test lets them go."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def open(self) -> None:
        self._event.set()

    def wait(self) -> None:
        assert self._event.wait(30)


def tool(
    name: str = "lookup",
    execute: Callable[[dict[str, Any], ToolCallContext], Any] | None = None,
    *,
    parameters: Any = None,
    mutates: bool = False,
    timeout_seconds: float | None = None,
) -> KernelTool:
    return KernelTool(
        name=name,
        description=f"The tool {name}.",
        parameters=parameters if parameters is not None else {"type": "object", "properties": {}},
        mutates=mutates,
        label=f"Using {name}",
        execute=execute or (lambda arguments, _context: {"success": True, "data": arguments}),
        timeout_seconds=timeout_seconds,
    )


def context(steps: Iterable[Step] | Model, *tools: KernelTool, **more: Any) -> RunContext:
    model = steps if isinstance(steps, Model) else Model([*steps])
    opening = [{"role": "system", "content": "You help."}, {"role": "user", "content": "Hello?"}]
    return RunContext(**{"run_id": RUN_ID, "messages": opening, "tools": tools, "chat": model, **more})


def play(steps: Iterable[Step] | Model, *tools: KernelTool, **more: Any) -> RunResult:
    return run(context(steps, *tools, **more))


def tool_messages(request: ChatRequest) -> list[dict[str, Any]]:
    return [json.loads(message["content"]) for message in request.messages if message["role"] == "tool"]
