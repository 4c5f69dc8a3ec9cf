"""``manage.py integration``: a community's backends (contract §7, §7.2, §7.4)."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from apps.foundation.commands import SentenceCommand
from apps.foundation.errors import Unavailable
from apps.integrations import registration
from apps.integrations.connect import connect
from apps.integrations.management import adjusting
from apps.integrations.models import Integration
from apps.integrations.rootint.registry import refresh
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.tenants import find_tenant, only_tenant

_NAMED = {
    "refresh": "Fetch the manifest of a backend now.",
    "rotate": "Give a backend a new signing secret, shown once; the old one stops at once.",
    "disable": "Take a backend out of use; its row stays.",
    "endpoints": "Show or change the paths a backend answers under.",
    "override": "Show or change what a community makes of a backend's tools.",
}


class Command(SentenceCommand):
    help = "Connects and looks after backends that speak root-int/1."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        add = actions.add_parser("add", help="Register a backend and fetch its manifest.")
        add.add_argument("slug", help="the community; slug--dev for its development shadow")
        add.add_argument("--url", required=True, help="the backend's base address")
        add.add_argument("--secret", required=True, help="the signing secret both sides share")
        add.add_argument("--name", default="backend")
        _with_tenant(actions.add_parser("list", help="Show a community's backends."))
        parsers = {
            action: _with_tenant(actions.add_parser(action, help=purpose))
            for action, purpose in _NAMED.items()
        }
        for named in parsers.values():
            named.add_argument("name", help="the backend's name")
        for action, shape, purpose in adjusting.OPTIONS:
            parsers[action].add_argument(
                "--set", action="append", default=[], dest="changes", metavar=shape, help=purpose
            )

    def perform(self, **options: Any) -> None:
        act = getattr(self, f"_{options['action']}")
        with tenant_context(_tenant(options)):
            act(**options)

    def _add(self, **options: Any) -> None:
        connected = connect(options["name"], base_url=options["url"], signing_secret=options["secret"])
        if connected.manifest is not None:
            return self.say(f"{options['name']} is active with {len(connected.manifest.tools)} tools.")
        if connected.row.status == Integration.Status.ACTIVE:
            raise Unavailable(f"{options['name']} stays where it was. {connected.problem}")
        return self.say(f"{options['name']} is registered and waits for its manifest. {connected.problem}")

    def _list(self, **_: Any) -> None:
        rows = registration.list_integrations()
        for row in rows:
            self.say(f"{row.name}  {row.status}  {row.base_url}  {_age(row)}")
        if not rows:
            self.say("No backend is connected.")

    def _refresh(self, *, name: str, **_: Any) -> None:
        row = registration.find(name)
        if row.status == Integration.Status.DISABLED:
            raise Unavailable(f"{name} is disabled; connect it again with integration add.")
        self.say(f"{name} is active with {len(refresh(row).tools)} tools.")

    def _rotate(self, *, name: str, **_: Any) -> None:
        secret = registration.rotate_secret(name).secret
        self.say(f"The new signing secret of {name}, shown only now: {secret}")

    def _disable(self, *, name: str, **_: Any) -> None:
        registration.disable(name)
        self.say(f"{name} is disabled.")

    def _endpoints(self, *, name: str, changes: list[str], **_: Any) -> None:
        row = registration.find(name)
        if changes:
            row = registration.set_endpoint_paths(name, adjusting.paths_after(changes, row=row))
        for line in adjusting.path_lines(row):
            self.say(line)

    def _override(self, *, name: str, changes: list[str], **_: Any) -> None:
        row = registration.find(name)
        if changes:
            row = registration.set_overrides(name, adjusting.overrides_after(changes, row=row))
        for line in adjusting.override_lines(row):
            self.say(line)


def _with_tenant(parser: ArgumentParser) -> ArgumentParser:
    parser.add_argument("--tenant", help="the community; may be left out where there is only one")
    return parser


def _tenant(options: dict[str, Any]) -> Tenant:
    slug = options.get("slug") or options.get("tenant")
    return find_tenant(slug) if slug else only_tenant()


def _age(row: Integration) -> str:
    fetched = row.manifest_fetched_at
    return f"manifest of {fetched:%Y-%m-%d %H:%M} UTC" if fetched else "no manifest yet"
