"""From what the model wrote to calls that can be run, or be told why not (contract §4.3)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any
from uuid import UUID, uuid5

from apps.agent.kernel import wording
from apps.agent.kernel.arguments import Arguments, read_arguments
from apps.agent.kernel.plain import clean
from apps.agent.kernel.repeats import Repeats
from apps.agent.kernel.toolbox import Toolbox, label_of
from apps.agent.kernel.types import (
    KernelTool,
    Message,
    Outcome,
    PlannedCall,
    ReadCall,
    RejectedCall,
    RepeatedCall,
    ToolCall,
)

_NAME_LENGTH = 64
_ID_LENGTH = 200
_BROKEN_OFF = (
    "Not run: the reply was broken off before the arguments of this call were complete. Send it again."
)
_UNREAD = (
    "Not run: the arguments of this call could not be read as a JSON object. Send it again with all of them."
)


class Reader:
    """Reads the calls of one run; ids stay unique over the whole transcript."""

    def __init__(self, toolbox: Toolbox, *, run_id: UUID, transcript: Iterable[Message], most: int) -> None:
        self._toolbox = toolbox
        self._run_id = run_id
        self._most = most
        self._taken = set(_ids_in(transcript))
        self._planned: Counter[str] = Counter()
        self.repeats = Repeats()

    def read(
        self, calls: Sequence[ToolCall], *, round_number: int, broken_off: bool = False
    ) -> list[ReadCall]:
        return [
            self._read_one(
                call,
                round_number=round_number,
                surplus=position >= self._most,
                broken_off=broken_off,
                last=position == len(calls) - 1,
            )
            for position, call in enumerate(calls)
        ]

    def _read_one(
        self, call: ToolCall, *, round_number: int, surplus: bool, broken_off: bool, last: bool
    ) -> ReadCall:
        name = clean(str(call.name or "")).strip()
        arguments = read_arguments(call.arguments)
        call_id = self._unique_id(call.id)
        tool = self._toolbox.find(name)
        reject = partial(_rejected, call_id, name, arguments.values, round_number, label=_label(tool))
        if tool is None:
            return reject("unknown_tool", f"Unknown tool: {name[:_NAME_LENGTH]}")
        if surplus:
            return reject("too_many", "Not run: too many calls in one batch.")
        # Of a reply that was broken off the last call may have lost its arguments, even all of them.
        if broken_off and (arguments.unread or (last and arguments.blank)):
            return reject("invalid_arguments", _BROKEN_OFF)
        if problem := self._problem(tool, arguments):
            return reject("invalid_arguments", problem)
        return self._accepted(tool, arguments, call_id=call_id, round_number=round_number)

    def _problem(self, tool: KernelTool, arguments: Arguments) -> str | None:
        """An action without the conditions that were written for it could be a far bigger one."""
        wrong = self._toolbox.problem(tool, arguments.values)
        if arguments.unread and (wrong or tool.mutates):
            return f"{_UNREAD} Without them: {wrong}" if wrong else _UNREAD
        return f"Not run, wrong arguments: {wrong}" if wrong else None

    def _accepted(
        self, tool: KernelTool, arguments: Arguments, *, call_id: str, round_number: int
    ) -> PlannedCall | RepeatedCall:
        first = self.repeats.first(tool, arguments.values, call_id=call_id)
        if first is not None:
            return RepeatedCall(
                id=call_id, arguments=arguments.values, round=round_number, tool=tool, first=first
            )
        return PlannedCall(
            id=call_id,
            name=tool.name,
            arguments=arguments.values,
            round=round_number,
            tool=tool,
            invocation_id=self._invocation_id(tool.name),
            unread=arguments.unread,
        )

    def _invocation_id(self, name: str) -> UUID:
        """Counted for each tool, so a re-run that looks up something else first still finds its actions.

        It depends on order and name alone; that the arguments are the same too is for the journal to compare.
        """
        self._planned[name] += 1
        return uuid5(self._run_id, f"{name}:{self._planned[name]}")

    def _unique_id(self, wanted: object) -> str:
        base = clean(str(wanted or "")).strip()[:_ID_LENGTH] or "call"
        candidate, number = base, 1
        while candidate in self._taken:
            number += 1
            candidate = f"{base}_{number}"
        self._taken.add(candidate)
        return candidate


def _label(tool: KernelTool | None) -> str:
    """People see this; a name that the model made up is not for them."""
    return wording.NO_SUCH_STEP if tool is None else label_of(tool)


def _rejected(
    call_id: str,
    name: str,
    arguments: dict[str, Any],
    round_number: int,
    outcome: Outcome,
    error: str,
    *,
    label: str,
) -> RejectedCall:
    return RejectedCall(
        id=call_id,
        name=name[:_NAME_LENGTH],
        arguments=arguments,
        round=round_number,
        outcome=outcome,
        error=error,
        label=label,
    )


def _ids_in(transcript: Iterable[Message]) -> Iterator[str]:
    for message in transcript:
        for call in message.get("tool_calls") or ():
            if isinstance(call, dict) and isinstance(call.get("id"), str):
                yield call["id"]
