"""``manage.py seed_channel slack|email|web --tenant SLUG``: writes a channel's row (contract §2.3)."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from apps.foundation.commands import SentenceCommand
from apps.foundation.errors import BadInput
from apps.tenancy.channels import SECRETS, set_channel
from apps.tenancy.context import tenant_context
from apps.tenancy.tenants import find_tenant, only_tenant


class Command(SentenceCommand):
    """What is not given stays as it is; a channel that was off is on afterwards."""

    help = "Sets up a channel of a community."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("type", choices=SECRETS)
        parser.add_argument("--tenant", metavar="SLUG", help="may be left out where there is only one")
        parser.add_argument("--config", metavar="JSON", help='such as {"mode": "platform_alias"}')
        parser.add_argument(
            "--secrets", metavar="JSON", help='such as {"bot_token": "…", "signing_secret": "…"}'
        )

    def perform(self, **options: Any) -> None:
        tenant = find_tenant(options["tenant"]) if options["tenant"] else only_tenant()
        with tenant_context(tenant):
            row = set_channel(
                options["type"],
                config=_parsed(options["config"], "--config"),
                secrets=_parsed(options["secrets"], "--secrets"),
            )
        held = ", ".join(sorted(row.secrets)) or "no secrets"
        self.say(f"{tenant.slug}: {row.type} is {row.status}, with {held}.")


def _parsed(text: str | None, name: str) -> Any:
    if text is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput(f"{name} is not valid JSON.") from None
