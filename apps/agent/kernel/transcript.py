"""The messages a batch leaves behind: the model's turn, one answer to each call, a note (contract §4.3)."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from apps.agent.kernel.plain import clean, compact
from apps.agent.kernel.results import telling_first
from apps.agent.kernel.shield import shielded
from apps.agent.kernel.truncate import serialize_plain
from apps.agent.kernel.types import ChatReply, ExecutedCall, Message, RunContext

_UNFIT_FOR_NAME = re.compile(r"[^A-Za-z0-9_.-]")
_HONESTY = (
    "Never write as if any of them had worked. Tell the person in plain language what did not happen, "
    "without status codes, addresses or other technical details of the failure."
)


def batch_messages(
    reply: ChatReply, executed: Sequence[ExecutedCall], *, context: RunContext
) -> list[Message]:
    """Nothing may stand between the model's calls and their answers, so the note comes last."""
    note = failure_note(executed)
    answers = [_answer(call, context=context) for call in executed]
    return [_assistant(reply, executed), *answers, *([note] if note else [])]


def failure_note(executed: Iterable[ExecutedCall]) -> Message | None:
    batch = [*executed]
    failures = [call for call in batch if not call.success]
    if not failures:
        return None
    known = [call for call in failures if not call.unknown_outcome]
    undone = _named((call for call in known if call.outcome != "done_otherwise"), batch=batch)
    otherwise = _named((call for call in known if call.outcome == "done_otherwise"), batch=batch)
    unknown = _named((call for call in failures if call.unknown_outcome), batch=batch)
    parts = [f"These calls failed and what they were for was NOT completed: {undone}."] if undone else []
    if unknown:
        parts.append(
            f"It is unknown whether these took effect; say exactly that and do not repeat them: {unknown}."
        )
    if otherwise:
        parts.append(
            "These were not run, because the same action was taken before with other arguments; say what was "
            f"done then, and do not repeat it: {otherwise}."
        )
    return {"role": "system", "content": " ".join([*parts, _HONESTY])}


def without_reasoning(messages: Iterable[Message]) -> tuple[Message, ...]:
    """A provider's reasoning tokens belong to the turn in which they were given, and nowhere else."""
    return tuple(
        {key: value for key, value in message.items() if key != "reasoning_details"} for message in messages
    )


def _assistant(reply: ChatReply, executed: Sequence[ExecutedCall]) -> Message:
    message: Message = {
        "role": "assistant",
        "content": clean(reply.text) if reply.text else None,
        "tool_calls": [_echo(call) for call in executed],
    }
    if reply.reasoning_details:
        # Signed by the provider: it goes back as it came.
        message["reasoning_details"] = reply.reasoning_details
    return message


def _echo(call: ExecutedCall) -> dict[str, Any]:
    """What the model wrote may not be JSON, or not a name a provider accepts; what is sent back always is."""
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": _sendable(call.name), "arguments": compact(call.arguments)},
    }


def _answer(call: ExecutedCall, *, context: RunContext) -> Message:
    limits = context.limits
    text = serialize_plain(telling_first(call.result), cap=limits.result_cap, budget=limits.result_budget)
    return {"role": "tool", "tool_call_id": call.id, "content": framed(text, context=context)}


def framed(text: str, *, context: RunContext) -> str:
    """A serialized result as the model meets it."""
    return shielded(lambda: context.frame(text), otherwise=text, what="the frame of a result")


def _named(calls: Iterable[ExecutedCall], *, batch: Sequence[ExecutedCall]) -> str:
    """By name, and by its place among the calls of that name: arguments are no text for a system message."""
    total = Counter(call.name for call in batch)
    seen: Counter[str] = Counter()
    place: dict[str, str] = {}
    for call in batch:
        seen[call.name] += 1
        place[call.id] = f" (call {seen[call.name]} of {total[call.name]})" if total[call.name] > 1 else ""
    return ", ".join(f"{_sendable(call.name)}{place[call.id]}" for call in calls)


def _sendable(name: str) -> str:
    return _UNFIT_FOR_NAME.sub("_", name) or "unnamed"
