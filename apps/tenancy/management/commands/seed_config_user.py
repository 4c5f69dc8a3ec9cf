"""``manage.py seed_config_user EMAIL --tenant SLUG``: who may sign in to a community's dashboard (contract §2.2)."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from apps.foundation.commands import SentenceCommand
from apps.foundation.errors import Conflict
from apps.tenancy.context import tenant_context
from apps.tenancy.dashboard_users import PLATFORM, change_role, invite
from apps.tenancy.models import TenantUser
from apps.tenancy.tenants import find_tenant, only_tenant


class Command(SentenceCommand):
    help = "Lists an address for a community's dashboard; somebody who is listed gets the role given."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--tenant", metavar="SLUG", help="may be left out where there is only one")
        parser.add_argument("--role", choices=TenantUser.Role.values, default=TenantUser.Role.OWNER.value)

    def perform(self, **options: Any) -> None:
        tenant = find_tenant(options["tenant"]) if options["tenant"] else only_tenant()
        with tenant_context(tenant):
            row = _listed(options["email"], role=options["role"])
        self.say(f"{row.email} may sign in to {tenant.slug} as {row.role}.")


def _listed(email: str, *, role: str) -> TenantUser:
    try:
        return invite(email, role=role, by=PLATFORM)
    except Conflict:
        return change_role(email, role=role, by=PLATFORM)
