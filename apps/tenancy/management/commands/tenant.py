"""``manage.py tenant create|suspend|activate SLUG``: communities, without a dashboard."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from apps.foundation.commands import SentenceCommand
from apps.foundation.errors import BadInput
from apps.tenancy.models import Tenant
from apps.tenancy.tenants import create_tenant, find_tenant, set_status, shadow_of


class Command(SentenceCommand):
    help = "Creates, suspends and activates communities."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        create = actions.add_parser("create", help="Create a community, or with --dev the shadow of one.")
        create.add_argument("slug")
        create.add_argument(
            "--dev", action="store_true", help="the development shadow of an existing community"
        )
        create.add_argument("--name", help="what people call the community")
        create.add_argument("--agent-name", help="what the agent is called (Root)")
        create.add_argument("--timezone", help="an IANA zone such as Europe/Lisbon")
        create.add_argument("--settings", default="{}", help="a JSON object")
        for action, told in (("suspend", "Stop answering for a community."), ("activate", "Answer again.")):
            actions.add_parser(action, help=told).add_argument("slug")

    def perform(self, **options: Any) -> None:
        if options["action"] != "create":
            return self._set_status(options["slug"], options["action"])
        if options["dev"]:
            shadow = shadow_of(find_tenant(options["slug"]))
            return self.say(f"{shadow.slug} is ready ({shadow.pk}).")
        tenant = create_tenant(
            options["slug"],
            display_name=options["name"],
            agent_name=options["agent_name"],
            timezone=options["timezone"],
            settings=_settings(options["settings"]),
        )
        self.say(f"{tenant.slug} is ready ({tenant.pk}).")
        return None

    def _set_status(self, slug: str, action: str) -> None:
        status = Tenant.Status.SUSPENDED if action == "suspend" else Tenant.Status.ACTIVE
        row = set_status(find_tenant(slug), status)
        self.say(f"{row.slug} is {row.status} now; other processes see it within half a minute.")


def _settings(raw: str) -> dict[str, Any]:
    try:
        parsed = json.loads(raw)
    except ValueError as error:
        raise BadInput(f"--settings is not JSON: {error}.") from None
    if not isinstance(parsed, dict):
        raise BadInput("--settings must be a JSON object, such as '{}'.")
    return parsed
