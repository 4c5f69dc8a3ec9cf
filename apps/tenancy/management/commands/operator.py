"""``manage.py operator add|remove|list``: who operates the platform."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from apps.foundation.commands import SentenceCommand
from apps.foundation.errors import NotFound
from apps.tenancy.platform_admins import add_platform_admin, list_platform_admins, remove_platform_admin


class Command(SentenceCommand):
    help = "Lists, adds and removes operators of the platform."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("list", help="Show every operator.")
        for action, told in (("add", "Add an address."), ("remove", "Remove an address.")):
            actions.add_parser(action, help=told).add_argument("email")

    def perform(self, **options: Any) -> None:
        if options["action"] == "add":
            self.say(f"{add_platform_admin(options['email']).email} may operate the platform.")
        elif options["action"] == "remove":
            if not remove_platform_admin(options["email"]):
                raise NotFound("This address is not listed.")
            self.say(f"{options['email']} may no longer operate the platform.")
        else:
            found = [row.email for row in list_platform_admins()]
            self.say("\n".join(found) or "Nobody is listed yet. Add somebody with: operator add EMAIL")
