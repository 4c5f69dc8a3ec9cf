"""``manage.py principal set SLUG --ref …``: a person, without a backend that vouches for them."""

from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction
from typing import Any

from apps.foundation.commands import SentenceCommand
from apps.foundation.errors import BadInput
from apps.foundation.text import one_line
from apps.tenancy.context import tenant_context
from apps.tenancy.emails import normalized_email
from apps.tenancy.principals import PersonFacts, by_ref, upsert
from apps.tenancy.tenants import find_tenant
from apps.tenancy.tiers import is_reserved


class Command(SentenceCommand):
    help = "Records people of a community."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        record = actions.add_parser("set", help="Create a person, or change one with the same ref.")
        record.add_argument("slug", help="the community")
        record.add_argument("--ref", required=True, help="the stable reference of this person")
        record.add_argument("--name")
        record.add_argument("--tier", help="member, unless they have another already")
        record.add_argument("--email")
        record.add_argument("--slack-user", dest="slack_user_id")
        record.add_argument("--admin", action=BooleanOptionalAction)

    def perform(self, **options: Any) -> None:
        tier, admin = options["tier"], options["admin"]
        if not options["ref"].strip():
            raise BadInput("--ref names the person; it cannot be empty.")
        if tier and is_reserved(tier):
            raise BadInput(f"{tier} is given by the platform only; choose another tier.")
        with tenant_context(find_tenant(options["slug"])):
            # What is not mentioned stays as it is.
            row = by_ref(options["ref"])
            kept = row.tier if row is not None and not is_reserved(row.tier) else "member"
            person = upsert(
                PersonFacts(
                    ref=options["ref"],
                    display_name=options["name"],
                    tier=tier or kept,
                    is_admin=(row is not None and row.is_admin) if admin is None else admin,
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
