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
    "done_otherwise": "done earlier, with other details than asked for now",
}
_MAY_HAVE_HAPPENED: Final[frozenset[WorkOutcome]] = frozenset({"done", "unknown", "done_otherwise"})


def listed(work: Iterable[WorkLine], *, under: str) -> str:
    """One bullet for each thing done, without anything the model wrote; tools that do not exist are left out, and
    so is what was only asked for again.

    Actions come first, and all of them: only what merely looked something up may be folded into a number.
    """
    known = [line for line in work if line.label and line.outcome != "repeated"]
    actions = _bullets(line for line in known if line.mutates)
    reads = _bullets(line for line in known if not line.mutates)
    room = max(0, _MOST_LINES - len(actions))
    folded = len(reads) - room
    more = [f"- and {folded} more"] if folded > 0 else []
    bullets = [*actions, *reads[:room], *more]
    return "\n".join([under, *bullets]) if bullets else ""


def _bullets(work: Iterable[WorkLine]) -> list[str]:
    counted = Counter((line.label, _OUTCOMES[line.outcome]) for line in work)
    return [
        f"- {label}: {outcome}" + (f" ({times} times)" if times > 1 else "")
        for (label, outcome), times in counted.items()
    ]


def ended_early(sentence: str, work: Iterable[WorkLine]) -> str:
    """Somebody who is told to try again must know which actions went through, or may have."""
    actions = [line for line in work if line.mutates and line.outcome in _MAY_HAVE_HAPPENED]
    return as_paragraphs(sentence, listed(actions, under=wording.ALREADY_DONE))


def as_paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
