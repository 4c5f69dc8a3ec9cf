"""What became of the documents of a run; survives a crash in the job's checkpoint (contract §11.2)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from apps.knowledge.sync.documents import Problem

Outcome = Literal["created", "updated", "unchanged"]
MOST_PROBLEMS = 20
_REASON_CHARS = 300


@dataclass(kw_only=True)
class Tally:
    """Outcomes by external id. Those of an earlier attempt count as they were: nothing is counted twice."""

    received: int = 0
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    by_model: int = 0
    deleted: int = 0
    problems: list[Problem] = field(default_factory=list)

    @classmethod
    def resumed(cls, checkpoint: dict[str, Any] | None) -> Tally:
        """As it was left by the attempt before."""
        kept = checkpoint or {}
        return cls(
            outcomes=dict(kept.get("outcomes", {})),
            by_model=int(kept.get("by_model", 0)),
            deleted=int(kept.get("deleted", 0)),
        )

    def checkpoint(self) -> dict[str, Any]:
        """What the next attempt must know; unchanged pages it finds unchanged again."""
        stored = {name: outcome for name, outcome in self.outcomes.items() if outcome != "unchanged"}
        return {"outcomes": stored, "by_model": self.by_model, "deleted": self.deleted}

    def counters(self) -> dict[str, int]:
        """The columns of the run."""
        counted = Counter(self.outcomes.values())
        return {
            "documents_received": self.received,
            "pages_created": counted["created"],
            "pages_updated": counted["updated"],
            "pages_unchanged": counted["unchanged"],
            "pages_deleted": self.deleted,
            "ai_cleaned": self.by_model,
        }

    @property
    def has_changes(self) -> bool:
        """Was a page made, changed or deleted?"""
        return self.deleted > 0 or any(outcome != "unchanged" for outcome in self.outcomes.values())

    def problem_list(self) -> list[dict[str, str]]:
        """The first of them, for the run's metadata."""
        return [
            {"external_id": problem.external_id[:100], "reason": problem.reason[:_REASON_CHARS]}
            for problem in self.problems[:MOST_PROBLEMS]
        ]

    def problem_sentence(self) -> str:
        """One sentence for the administrator."""
        first = self.problems[0]
        rest = f" The others: {len(self.problems) - 1} more." if len(self.problems) > 1 else ""
        reason = first.reason[:_REASON_CHARS].rstrip(".")
        return (
            f"{len(self.problems)} of {self.received} documents could not be stored; what was there of them stays."
            f" {first.external_id[:100]}: {reason}.{rest}"
        )
