"""``manage.py integration add SLUG --url … --secret …``: connects a community's backend."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from apps.foundation.commands import SentenceCommand
from apps.foundation.errors import Unavailable
from apps.integrations.connect import connect
from apps.integrations.models import Integration
from apps.tenancy.context import tenant_context
from apps.tenancy.tenants import find_tenant


class Command(SentenceCommand):
    help = "Connects backends that speak root-int/1."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        add = actions.add_parser("add", help="Register a backend and fetch its manifest.")
        add.add_argument("slug", help="the community; slug--dev for its development shadow")
        add.add_argument("--url", required=True, help="the backend's base address")
        add.add_argument("--secret", required=True, help="the signing secret both sides share")
        add.add_argument("--name", default="backend")

    def perform(self, **options: Any) -> None:
        with tenant_context(find_tenant(options["slug"])):
            connected = connect(options["name"], base_url=options["url"], signing_secret=options["secret"])
        if connected.manifest is None:
            if connected.row.status == Integration.Status.ACTIVE:
                raise Unavailable(f"{options['name']} stays where it was. {connected.problem}")
            return self.say(
                f"{options['name']} is registered and waits for its manifest. {connected.problem}"
            )
        self.say(f"{options['name']} is active with {len(connected.manifest.tools)} tools.")
        return None
