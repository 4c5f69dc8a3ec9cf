"""What a reply may not be once tools are closed: a call, or the announcement of one (contract §4.4)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from apps.agent.kernel.classify import plan_bullets
from apps.agent.kernel.reading import Reading
from apps.agent.kernel.types import ExecutedCall

# Shorter ones are found in any result by chance, and so is a part of a word.
_SHORTEST_QUOTE = 4


def judged_closed(reading: Reading, *, calls: Sequence[ExecutedCall], has_tools: bool, told: bool) -> Reading:
    """Words beside a call are about something that will not happen; in a run without tools a list is a list.

    Told that a plan is no answer, a model that writes a list once more means it as one.
    """
    if reading.reply.tool_calls:
        return replace(reading, problem="closed_call")
    if told or not (has_tools and reading.announces) or _quotes(reading.text, calls=calls):
        return reading
    return replace(reading, problem="announcement")


def _quotes(text: str, *, calls: Sequence[ExecutedCall]) -> bool:
    """From values alone: `events` is a key of every list of events, also of an empty one."""
    found = "\n".join(text for call in calls if call.success for text in _values(call.result)).casefold()
    heads = (bullet.split(":")[0].strip(" *_`").casefold() for bullet in plan_bullets(text))
    return any(len(head) >= _SHORTEST_QUOTE and _names(found, head) for head in heads)


def _names(found: str, head: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(head)}(?!\w)", found) is not None


def _values(data: Any) -> Iterator[str]:
    if isinstance(data, (dict, list)):
        for item in data.values() if isinstance(data, dict) else data:
            yield from _values(item)
    elif not isinstance(data, bool) and data is not None:
        yield str(data)
