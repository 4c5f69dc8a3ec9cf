"""``manage.py backfill WHAT``: makes up for what is missing, now instead of with the next sweep."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from apps.foundation.commands import SentenceCommand
from apps.foundation.environment import env
from apps.foundation.errors import BadInput
from apps.integrations.slack.client import is_connected
from apps.knowledge.slack_index.backfill import request_history
from apps.knowledge.slack_index.distilling import ask_distill
from apps.knowledge.slack_index.reach import reach_of_channels, sentence
from apps.knowledge.slack_index.threads import threads_to_distill
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
        slack = kinds.add_parser("slack", help="the history of public channels, read by the workers")
        threads = kinds.add_parser("thread-artifacts", help="documents of threads that have none")
        for each in (embeddings, slack, threads):
            each.add_argument("--tenant", metavar="SLUG", help="one community; all active ones otherwise")
        slack.add_argument("--channel", metavar="ID_OR_NAME", help="one channel; all public ones otherwise")
        slack.add_argument(
            "--again", action="store_true", help="also what was read before, from the newest on"
        )
        slack.add_argument("--status", action="store_true", help="only say how far back the index reaches")

    def perform(self, **options: Any) -> None:
        work = {"embeddings": self._embeddings, "slack": self._slack, "thread-artifacts": self._threads}
        for tenant in _tenants(options["tenant"]):
            with tenant_context(tenant):
                work[options["kind"]](tenant, options)

    def _embeddings(self, tenant: Tenant, _options: dict[str, Any]) -> None:
        run = sweep()
        refused = f", {run.set_aside} refused by the embedder" if run.set_aside else ""
        self.say(f"{tenant.slug}: {run.embedded} embedded{refused}.")

    def _slack(self, tenant: Tenant, options: dict[str, Any]) -> None:
        if not options["status"]:
            if not is_connected() and options["tenant"] is None:
                return
            asked = request_history(channel=options["channel"], again=options["again"])
            self.say(f"{tenant.slug}: {len(asked.wanted)} to read, {len(asked.complete)} complete.")
        for reach in reach_of_channels():
            self.say(f"{tenant.slug}: {sentence(reach)}")

    def _threads(self, tenant: Tenant, _options: dict[str, Any]) -> None:
        if not env().slack_thread_artifacts:
            raise BadInput("Threads are not distilled here: SLACK_THREAD_ARTIFACTS is off.")
        threads = threads_to_distill()
        for channel_id, thread_ts in threads:
            ask_distill(channel_id, thread_ts, delay=timedelta(0))
        self.say(f"{tenant.slug}: {len(threads)} threads wait to be distilled.")


def _tenants(slug: str | None) -> list[Tenant]:
    return [find_tenant(slug)] if slug else list(active_tenants().order_by("slug"))
