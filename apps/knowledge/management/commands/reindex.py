"""``manage.py reindex [--tenant SLUG] [--resume]``: every vector anew, after a change of model."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from apps.foundation.commands import SentenceCommand
from apps.foundation.errors import Unavailable
from apps.knowledge.reindexing import Progress, Reindexing
from apps.knowledge.sweep import current_embedder
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.tenants import active_tenants, find_tenant

BAR = 30


class Command(SentenceCommand):
    """Searches go on meanwhile. Whatever stops it, ``--resume`` goes on where it stood."""

    help = "Makes the vectors of pages, Slack messages and thread artifacts anew."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="one community; all active ones otherwise")
        parser.add_argument("--resume", action="store_true", help="go on where the last run was interrupted")

    def perform(self, **options: Any) -> None:
        slug: str | None = options["tenant"]
        tenants = [find_tenant(slug)] if slug else list(active_tenants().order_by("slug"))
        with tenant_context(tenants[0]):
            embedder = current_embedder()
        if embedder is None:
            raise Unavailable("No embedder answers.")
        self.say(f"Embedding with {embedder}.")
        run = Reindexing(name=slug or "all", embedder=embedder, report=self._show)
        if options["resume"] and not run.resume():
            self.say("There is no interrupted run of this embedder; starting from the beginning.")
        for tenant in tenants:
            self._reindex(run, tenant)
        run.end()

    def _reindex(self, run: Reindexing, tenant: Tenant) -> None:
        if run.is_finished(tenant.pk):
            self.say(f"{tenant.slug}: done before.")
            return
        with tenant_context(tenant):
            run.run(tenant.pk)
        self.say(f"{tenant.slug}: done.")

    def _show(self, progress: Progress) -> None:
        filled = BAR * progress.done // max(progress.total, 1)
        bar = "#" * filled + "-" * (BAR - filled)
        line = f"{progress.kind:>15} [{bar}] {progress.done} of {progress.total}"
        finished = progress.done >= progress.total
        if self.stdout.isatty():
            self.stdout.write(f"\r{line}", ending="\n" if finished else "")
            self.stdout.flush()
        else:
            self.say(line)
