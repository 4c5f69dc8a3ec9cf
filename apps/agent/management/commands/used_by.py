"""``manage.py used_by PAGE_SLUG [--tenant SLUG]``: the answers that rest on a page."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from apps.agent.models import ConversationLog
from apps.agent.source_usage import answers_resting_on
from apps.foundation.commands import SentenceCommand
from apps.tenancy.context import tenant_context
from apps.tenancy.tenants import find_tenant, only_tenant


class Command(SentenceCommand):
    help = (
        "Lists the answers whose turns found a page, with their trace ids and who got them; the latest first."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("page", metavar="PAGE_SLUG")
        parser.add_argument("--tenant", metavar="SLUG", help="needed where there are several communities")

    def perform(self, **options: Any) -> None:
        tenant = find_tenant(options["tenant"]) if options["tenant"] else only_tenant()
        with tenant_context(tenant):
            answers = answers_resting_on(options["page"])
        if not answers:
            self.say(f"No answer on record rests on {options['page']}.")
        for row in answers:
            self.say(_line(row))


def _line(row: ConversationLog) -> str:
    at = row.message_at.isoformat(timespec="seconds")
    return f"{at}  {UUID(row.exchange_key).hex}  {row.channel}  {row.member_id or 'somebody unknown'}"
