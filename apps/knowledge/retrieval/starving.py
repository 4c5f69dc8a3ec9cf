"""A second, wider statement for a lane whose first one ended too early (contract §10.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from apps.knowledge.retrieval.execution import Row, Statement, run_statements


class MayStarve(Protocol):
    """A lane that knows when it brought too little."""

    def second(self, rows: Sequence[Row]) -> Statement | None:
        """What brings the rest; None when these rows are all it could bring."""


def unstarved(rows: Sequence[Row] | None, lane: MayStarve) -> Sequence[Row] | None:
    """The rows, or those of the second statement if they are too few; one that fails takes nothing away."""
    second = lane.second(rows) if rows is not None else None
    if second is None:
        return rows
    wider = run_statements([second])[second.name]
    return rows if wider is None else wider
