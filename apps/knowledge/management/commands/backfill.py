"""``manage.py backfill WHAT``: makes up for what is missing, now instead of with the next sweep."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from apps.foundation.commands import SentenceCommand
from apps.knowledge.sweep import sweep
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.tenants import active_tenants, find_tenant


class Command(SentenceCommand):
    """Each kind of work is a subcommand; running one again does no harm."""

    help = "Fills in what is missing in the knowledge of communities."

    def add_arguments(self, parser: ArgumentParser) -> None:
        kinds = parser.add_subparsers(dest="kind", required=True)
        embeddings = kinds.add_parser("embeddings", help="vectors that are missing or of another model")
        embeddings.add_argument("--tenant", metavar="SLUG", help="one community; all active ones otherwise")

    def perform(self, **options: Any) -> None:
        for tenant in _tenants(options["tenant"]):
            with tenant_context(tenant):
                self._embeddings(tenant)

    def _embeddings(self, tenant: Tenant) -> None:
        run = sweep()
        refused = f", {run.set_aside} refused by the embedder" if run.set_aside else ""
        self.say(f"{tenant.slug}: {run.embedded} embedded{refused}.")


def _tenants(slug: str | None) -> list[Tenant]:
    return [find_tenant(slug)] if slug else list(active_tenants().order_by("slug"))
