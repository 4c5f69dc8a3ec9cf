"""A second, wider statement for a lane whose first one ended too early (contract §10.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from apps.knowledge.retrieval.execution import Row, Statement, run_statements


class MayStarve(Protocol):
    """A lane that knows when it brought too little, and what brings the rest."""

    @property
    def wider(self) -> Statement | None: ...

    def starved(self, rows: Sequence[Row]) -> bool: ...


def unstarved(rows: Sequence[Row] | None, lane: MayStarve) -> Sequence[Row] | None:
    """The rows, or those of the wider statement if they are too few; a wider one that fails takes nothing away."""
    if rows is None or lane.wider is None or not lane.starved(rows):
        return rows
    wider = run_statements([lane.wider])[lane.wider.name]
    return rows if wider is None else wider
