"""``manage.py seed_web_token --tenant SLUG``: opens the web chat with a new token, shown once (contract §8.4)."""

from __future__ import annotations

import secrets
from argparse import ArgumentParser
from typing import Any

from apps.foundation.commands import SentenceCommand
from apps.tenancy.channels import TOKEN_BYTES, set_channel
from apps.tenancy.context import tenant_context
from apps.tenancy.tenants import find_tenant, only_tenant


class Command(SentenceCommand):
    help = "Opens a community's web chat with a new access token; an earlier one stops at once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="may be left out where there is only one")

    def perform(self, **options: Any) -> None:
        tenant = find_tenant(options["tenant"]) if options["tenant"] else only_tenant()
        token = secrets.token_urlsafe(TOKEN_BYTES)
        with tenant_context(tenant):
            set_channel("web", secrets={"access_token": token})
        self.say(f"{tenant.slug}: the web chat's token, shown only now: {token}")
