"""From what the model wrote to calls that can be run, or be told why not (contract §4.3)."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NoReturn
from uuid import UUID, uuid5

from apps.agent.kernel import wording
from apps.agent.kernel.plain import clean, plain
from apps.agent.kernel.toolbox import Toolbox, label_of
from apps.agent.kernel.types import KernelTool, Message, Outcome, PlannedCall, RejectedCall, ToolCall

_NAME_LENGTH = 64
_ID_LENGTH = 200
_MALFORMED = object()


class Reader:
    """Reads the calls of one run; ids stay unique over the whole transcript."""

    def __init__(self, toolbox: Toolbox, *, run_id: UUID, transcript: Iterable[Message], most: int) -> None:
        self._toolbox = toolbox
        self._run_id = run_id
        self._most = most
        self._taken = set(_ids_in(transcript))
        self._planned: Counter[str] = Counter()

    def read(
        self, calls: Sequence[ToolCall], *, round_number: int, broken_off: bool = False
    ) -> list[PlannedCall | RejectedCall]:
        """Of a reply that was broken off the last call may have lost its arguments, even all of them."""
        last = len(calls) - 1
        return [
            self._read_one(
                call,
                round_number=round_number,
                surplus=position >= self._most,
                cut=broken_off and position == last,
            )
            for position, call in enumerate(calls)
        ]

    def _read_one(
        self, call: ToolCall, *, round_number: int, surplus: bool, cut: bool
    ) -> PlannedCall | RejectedCall:
        name = clean(str(call.name or "")).strip()
        arguments = parse_arguments(call.arguments)
        call_id = self._unique_id(call.id)
        tool = self._toolbox.find(name)
        reject = partial(_rejected, call_id, name, arguments, round_number, label=_label(tool))
        if tool is None:
            return reject("unknown_tool", f"Unknown tool: {name[:_NAME_LENGTH]}")
        if surplus:
            return reject("too_many", "Not run: too many calls in one batch.")
        if problem := self._problem(tool, call.arguments, arguments, cut=cut):
            return reject("invalid_arguments", f"Not run, wrong arguments: {problem}")
        return PlannedCall(
            id=call_id,
            name=name,
            arguments=arguments,
            round=round_number,
            tool=tool,
            invocation_id=self._invocation_id(name),
        )

    def _problem(self, tool: KernelTool, raw: object, arguments: dict[str, Any], *, cut: bool) -> str | None:
        """An action whose conditions were cut away could be a far bigger one, so nothing is made of the rest."""
        if problem := self._toolbox.problem(tool, arguments):
            return problem
        if not tool.mutates:
            return None
        if cut and is_blank(raw):
            return "the reply was broken off before them"
        return "they are no JSON" if is_malformed(raw) else None

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


def parse_arguments(raw: object) -> dict[str, Any]:
    """Whatever is not a JSON object counts as an empty one; an object quoted once too often is unpacked."""
    value = _parsed(raw)
    if isinstance(value, str):
        value = _parsed(value)
    return plain(value) if isinstance(value, dict) else {}


def is_blank(raw: object) -> bool:
    return raw is None or (isinstance(raw, str) and not raw.strip())


def is_malformed(raw: object) -> bool:
    """Written, but neither an object nor nothing, as it stands or inside its quotes."""
    if not isinstance(raw, str) or not raw.strip():
        return False
    value = _parsed(raw, otherwise=_MALFORMED)
    if isinstance(value, str):
        value = _parsed(value, otherwise=_MALFORMED)
    return value is not None and not isinstance(value, dict)


def _parsed(raw: object, *, otherwise: object = None) -> object:
    if not isinstance(raw, str):
        return raw
    try:
        return json.loads(raw, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return otherwise


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


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
