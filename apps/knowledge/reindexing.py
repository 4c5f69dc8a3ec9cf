"""Makes every vector of a tenant anew, after a change of model; what was interrupted goes on (contract §11.3).

The old vectors serve until each is replaced. The place where a run stands is kept after every batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ValidationError

from apps.foundation.errors import Unavailable
from apps.knowledge import frequencies
from apps.knowledge.embedding import embed_rows
from apps.knowledge.embedding_kinds import KINDS, EmbeddedKind
from apps.tenancy.platform_settings import save_platform_setting, stored_setting

_INTERRUPTED = "The embedder does not answer. What is done stays; go on with --resume."


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far one kind of rows of a tenant is."""

    kind: str
    done: int
    total: int


class _Place(BaseModel):
    """Where a run stands: the communities it finished, the one it is in, and the last row it did there."""

    embedder: str
    finished: list[UUID] = []
    tenant: UUID | None = None
    kind: str = ""
    after: UUID | None = None


@dataclass
class Reindexing:
    """One run over one or more communities; ``name`` is what its place is kept under."""

    name: str
    embedder: str
    report: Callable[[Progress], None]
    place: _Place = field(init=False)

    def __post_init__(self) -> None:
        self.place = _Place(embedder=self.embedder)

    def resume(self) -> bool:
        """Takes up the place of an interrupted run; False when there is none for this embedder."""
        try:
            kept = _Place.model_validate(stored_setting(self._key))
        except ValidationError:
            return False
        if kept.embedder != self.embedder:
            return False
        self.place = kept
        return True

    def is_finished(self, tenant_id: UUID) -> bool:
        return tenant_id in self.place.finished

    def run(self, tenant_id: UUID) -> None:
        """Embeds everything of the current tenant; raises :class:`Unavailable` when no embedder answers."""
        if self.place.tenant != tenant_id:
            # A community that came first meanwhile; the interrupted one starts over when its turn comes.
            self._keep(tenant=tenant_id, kind="", after=None)
        names: list[str] = [kind.name for kind in KINDS]
        first = names.index(self.place.kind) if self.place.kind in names else 0
        for kind in KINDS[first:]:
            after = self.place.after if kind.name == self.place.kind else None
            self._run_kind(kind, after=after)
        frequencies.refresh()
        self._keep(finished=[*self.place.finished, tenant_id], tenant=None, kind="", after=None)

    def end(self) -> None:
        """Nothing is left to resume."""
        save_platform_setting(self._key, None)

    @property
    def _key(self) -> str:
        return f"reindex:{self.name}"

    def _run_kind(self, kind: EmbeddedKind, *, after: UUID | None) -> None:
        rows = kind.model.objects.filter(kind.wanted)
        total = rows.count()
        done = rows.filter(pk__lte=after).count() if after else 0
        for batch in _batches(kind, rows, after=after):
            if embed_rows(kind, batch).failed:
                raise Unavailable(_INTERRUPTED)
            done += len(batch)
            self._keep(kind=kind.name, after=batch[-1].pk)
            self.report(Progress(kind=kind.name, done=min(done, total), total=total))

    def _keep(self, **change: Any) -> None:
        self.place = self.place.model_copy(update=change)
        save_platform_setting(self._key, self.place.model_dump(mode="json"))


def _batches(kind: EmbeddedKind, rows: Any, *, after: UUID | None) -> Iterator[list[Any]]:
    while True:
        left = rows.filter(pk__gt=after) if after else rows
        batch = list(left.order_by("pk").only("id", "tenant_id", *kind.fields)[: kind.batch])
        if not batch:
            return
        yield batch
        after = batch[-1].pk
