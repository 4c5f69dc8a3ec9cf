"""``manage.py seed_api_key --tenant SLUG``: a key for a community's programs, shown once (contract §12.1)."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from apps.foundation.commands import SentenceCommand
from apps.tenancy.api_keys import PREFIXES, mint_key
from apps.tenancy.tenants import find_tenant, only_tenant


class Command(SentenceCommand):
    help = "Makes a key for the REST API and MCP. It is shown now and never again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="may be left out where there is only one")
        parser.add_argument(
            "--name", default="seeded", help="whose key it is, so that people know what they revoke"
        )
        parser.add_argument("--environment", choices=sorted(PREFIXES), default="live")

    def perform(self, **options: Any) -> None:
        tenant = find_tenant(options["tenant"]) if options["tenant"] else only_tenant()
        minted = mint_key(tenant, name=options["name"], environment=options["environment"])
        self.say(f"{tenant.slug}: the {options['environment']} key, shown only now: {minted.secret}")
