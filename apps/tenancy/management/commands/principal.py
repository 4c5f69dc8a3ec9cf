"""``manage.py principal set SLUG --ref …``: a person, without a backend that vouches for them."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from apps.foundation.commands import SentenceCommand
from apps.foundation.errors import BadInput
from apps.foundation.text import one_line
from apps.tenancy.context import tenant_context
from apps.tenancy.emails import normalized_email
from apps.tenancy.principals import PersonFacts, upsert
from apps.tenancy.tenants import find_tenant
from apps.tenancy.tiers import is_reserved


class Command(SentenceCommand):
    help = "Records people of a community."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        record = actions.add_parser("set", help="Create a person, or change one with the same ref.")
        record.add_argument("slug", help="the community")
        record.add_argument("--ref", required=True, help="the stable reference of this person")
        record.add_argument("--name", default="")
        record.add_argument("--tier", default="member")
        record.add_argument("--email")
        record.add_argument("--slack-user", dest="slack_user_id")
        record.add_argument("--admin", action="store_true")

    def perform(self, **options: Any) -> None:
        if is_reserved(options["tier"]):
            raise BadInput(f"{options['tier']} is given by the platform only; choose another tier.")
        with tenant_context(find_tenant(options["slug"])):
            person = upsert(
                PersonFacts(
                    ref=options["ref"],
                    display_name=options["name"],
                    tier=options["tier"],
                    is_admin=options["admin"],
                    email=_address(options["email"]),
                    slack_user_id=options["slack_user_id"],
                )
            )
        self.say(f"{person} is a {person.tier} of {options['slug']}.")


def _address(given: str | None) -> str | None:
    if given is None:
        return None
    address = normalized_email(given)
    if address is None:
        raise BadInput(f"{one_line(given, limit=80)} is not an e-mail address.")
    return address
