"""``manage.py tenant create SLUG [--dev] [--settings JSON]``: a community, without a dashboard."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from apps.foundation.commands import SentenceCommand
from apps.foundation.errors import BadInput
from apps.tenancy.tenants import create_tenant, find_tenant, shadow_of


class Command(SentenceCommand):
    help = "Creates communities."

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

    def perform(self, **options: Any) -> None:
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


def _settings(raw: str) -> dict[str, Any]:
    try:
        parsed = json.loads(raw)
    except ValueError as error:
        raise BadInput(f"--settings is not JSON: {error}.") from None
    if not isinstance(parsed, dict):
        raise BadInput("--settings must be a JSON object, such as '{}'.")
    return parsed
