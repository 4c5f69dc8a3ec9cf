"""What the tools of a turn did, as a person reads it when no model can tell it (contract §4.4)."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from apps.agent.kernel import wording
from apps.agent.kernel.types import WorkLine, WorkOutcome

_MOST_LINES = 10
_OUTCOMES: Final[dict[WorkOutcome, str]] = {
    "done": "done",
    "nothing_found": "nothing found",
    "failed": "did not work",
    "unknown": "unclear whether it took effect",
    "not_run": "was not carried out",
}


def listed(work: Iterable[WorkLine], *, under: str) -> str:
    """One bullet for each thing done, without anything the model wrote; tools that do not exist are left out."""
    counted = Counter((line.label, _OUTCOMES[line.outcome]) for line in work if line.label)
    bullets = [
        f"- {label}: {outcome}" + (f" ({times} times)" if times > 1 else "")
        for (label, outcome), times in counted.items()
    ]
    surplus = len(bullets) - _MOST_LINES
    more = [f"- and {surplus} more"] if surplus > 0 else []
    return "\n".join([under, *bullets[:_MOST_LINES], *more]) if bullets else ""


def ended_early(sentence: str, work: Iterable[WorkLine]) -> str:
    """Somebody who is told to try again must know which actions went through, or may have."""
    actions = [line for line in work if line.mutates and line.outcome in {"done", "unknown"}]
    return as_paragraphs(sentence, listed(actions, under=wording.ALREADY_DONE))


def as_paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
