"""One job: claims its run, fetches, stores, deletes what is gone, settles (contract §11.2)."""

from __future__ import annotations

import logging
from typing import Any
from uuid import UUID

from apps.integrations.llm.failures import LlmFailure
from apps.knowledge import frequencies
from apps.knowledge.models import KnowledgeSource, KnowledgeSyncRun
from apps.knowledge.sync import runs, storing
from apps.knowledge.sync.cleanup import CLEANUP_VERSION, DISTILL_VERSION, Treatment
from apps.knowledge.sync.documents import Document, Fetched, Problem
from apps.knowledge.sync.failure import RunOver, SyncFailure
from apps.knowledge.sync.fetchers import fetch
from apps.knowledge.sync.fetchers.web_page import ARTICLE_CHARS
from apps.knowledge.sync.tally import Tally
from apps.tenancy import jobs

log = logging.getLogger(__name__)

Status = KnowledgeSyncRun.Status


def perform(job: jobs.Job) -> None:
    """Runs a job to its end. Only what may pass by itself is tried again; the run stays the same one."""
    try:
        run = runs.claim(job)
    except RunOver:
        return
    attempt = _Sync(job, run)
    try:
        attempt.whole()
    except RunOver:
        message = "The source was paused or deleted meanwhile."
        runs.settle_failed(job, run.pk, message, counts=False, **attempt.tally.counters())
    except (SyncFailure, LlmFailure) as failure:
        if failure.retryable and not _is_last(job):
            _note(run, failure.message)
            raise
        runs.settle_failed(job, run.pk, failure.message, **attempt.outcome(failure))
    except (jobs.Later, jobs.LostClaim):
        raise
    except Exception as error:
        if job.payload.get("one_attempt"):
            raise jobs.GiveUp(type(error).__name__) from error
        raise


def gave_up(job: jobs.Job, error: str) -> None:
    """The job is lost for good: its worker died each time, or our own code failed."""
    try:
        run_id = UUID(str(job.payload.get("run_id")))
    except ValueError:
        return
    runs.fail(run_id, "The sync was broken off by an error on our side; what it had stored stays.")
    log.error("run %s was given up: %s", run_id, error)


class _Sync:
    """One attempt at one run."""

    def __init__(self, job: jobs.Job, run: KnowledgeSyncRun) -> None:
        self.job = job
        self.run = run
        self.source = KnowledgeSource.objects.get(pk=run.source_id)
        self.options: dict[str, Any] = run.input_payload.get("options", {})
        self.tally = Tally.resumed(job.checkpoint)
        self.treatment = self._treatment()
        self.model_failure: LlmFailure | None = None

    def whole(self) -> None:
        fetched = fetch(self.source, self.run)
        if fetched.triggered:
            return self._settle(fetched, status=Status.TRIGGERED)
        self.tally.received = fetched.received
        self.tally.problems = list(fetched.problems)
        self._store(fetched.documents)
        if self.model_failure is not None:
            raise self.model_failure
        if self.tally.problems and not self.tally.outcomes:
            raise SyncFailure(self.tally.problem_sentence(), http_status=fetched.http_status)
        if self._says("replace_missing", own=self.source.replace_missing) and self._tells_absence(fetched):
            present = [document.external_id for document in fetched.documents]
            storing.delete_absent(present, job=self.job, run=self.run, source=self.source, tally=self.tally)
        self._settle(fetched, status=Status.SUCCEEDED)
        if self.tally.has_changes:
            frequencies.refresh_if_due()
        return None

    def _store(self, documents: tuple[Document, ...]) -> None:
        same = storing.unchanged_of(self.source, documents, self.treatment)
        storing.touch(same.values())
        # What an earlier attempt of this run stored is unchanged by now; it was counted then, maybe not yet embedded.
        waiting = [page_id for external_id, page_id in same.items() if external_id in self.tally.outcomes]
        for external_id in same:
            self.tally.outcomes.setdefault(external_id, "unchanged")
        for document in documents:
            if document.external_id in same:
                continue
            self._stop_if_asked(waiting)
            stored = self._stored(document)
            waiting += [stored] if stored else []
            if len(waiting) >= storing.EMBEDDED_AT_ONCE:
                storing.embed(waiting)
                waiting = []
        storing.embed(waiting)

    def _stored(self, document: Document) -> UUID | None:
        """A model that is away fails its document only; others may need no model."""
        if self.model_failure is not None and not self.model_failure.retryable:
            return None
        try:
            return storing.store(
                document, job=self.job, run=self.run, treatment=self.treatment, tally=self.tally
            )
        except LlmFailure as failure:
            self.model_failure = failure
            self.tally.problems.append(Problem(external_id=document.external_id, reason=failure.message))
            return None

    def _stop_if_asked(self, waiting: list[UUID]) -> None:
        """The worker ends: what was stored is kept, and the next one goes on from there."""
        if self.job.stopping:
            storing.embed(waiting)
            raise jobs.Later

    def _settle(self, fetched: Fetched, *, status: str) -> None:
        details: dict[str, Any] = {"http_status": fetched.http_status}
        length = {} if fetched.article_chars is None else {ARTICLE_CHARS: fetched.article_chars}
        if metadata := {**self._metadata(), **length}:
            details["metadata"] = metadata
        if self.tally.problems:
            details["error"] = self.tally.problem_sentence()
        with self.job.fenced(finish=True):
            runs.succeed(self.run, status=status, counters=self.tally.counters(), **details)

    def outcome(self, failure: SyncFailure | LlmFailure) -> dict[str, Any]:
        """The columns of a run that failed: what it had stored by then stays, and is told."""
        status = failure.http_status if isinstance(failure, SyncFailure) else None
        return {**self.tally.counters(), "http_status": status, "metadata": self._metadata()}

    def _metadata(self) -> dict[str, Any]:
        problems = {"problems": self.tally.problem_list()} if self.tally.problems else {}
        return {**self.run.metadata, **problems}

    def _tells_absence(self, fetched: Fetched) -> bool:
        return fetched.tells_absence and not self.tally.problems

    def _treatment(self) -> Treatment:
        extra = self._says("ai_cleanup_instructions", own=self.source.ai_cleanup_instructions)
        if self.source.source_kind == KnowledgeSource.Kind.WEB_PAGE:
            return Treatment(kind=DISTILL_VERSION, extra=extra)
        if self._says("ai_cleanup", own=self.source.ai_cleanup):
            return Treatment(kind=CLEANUP_VERSION, extra=extra)
        return Treatment()

    def _says(self, name: str, *, own: Any) -> Any:
        return self.options.get(name, own)


def _is_last(job: jobs.Job) -> bool:
    return job.is_last_attempt or bool(job.payload.get("one_attempt"))


def _note(run: KnowledgeSyncRun, message: str) -> None:
    """Why the run is not done yet, for people who look at it meanwhile."""
    waiting = KnowledgeSyncRun.objects.filter(pk=run.pk, status=Status.RUNNING)
    waiting.update(error=f"{message} Root tries again."[:2_000])
