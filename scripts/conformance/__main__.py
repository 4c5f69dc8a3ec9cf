"""``scripts/rootint_check``: holds a backend against the protocol and prints what was found (contract §7)."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

SECRET_VARIABLE = "ROOT_SIGNING_SECRET"


def main(arguments: Sequence[str]) -> int:
    """0 conforms, 1 does not; usage errors end with 2."""
    # Taken out of the environment before the settings are read: it is the backend's variable, not Root's.
    asked = _asked(arguments, secret=os.environ.pop(SECRET_VARIABLE, ""))
    _without_a_deployment()
    from apps.foundation.errors import BadInput
    from apps.integrations.conformance.run import examine
    from apps.integrations.models import Integration
    from apps.integrations.rootint.endpoints import check_endpoint_paths
    from apps.tenancy.context import tenant_context
    from apps.tenancy.models import Tenant

    try:
        paths = check_endpoint_paths(asked.paths)
    except BadInput as error:
        print(error.message, file=sys.stderr)
        return 2
    row = Integration(base_url=asked.url, signing_secret=asked.secret, endpoint_paths=paths)
    with tenant_context(Tenant(id=uuid4(), slug="rootint-check")):
        report = examine(row, given=asked.given)
    print(report.readable(secret=asked.secret))
    if asked.json:
        asked.json.write_text(json.dumps(report.as_json(secret=asked.secret), indent=2) + "\n")
    return 1 if report.failures else 0


def _asked(arguments: Sequence[str], *, secret: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/rootint_check", description=__doc__)
    parser.add_argument("url", help="the backend's base address")
    parser.add_argument("--secret", default=secret, help=f"better given as {SECRET_VARIABLE}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report here as JSON too")
    parser.add_argument(
        "--call",
        type=Path,
        metavar="FILE",
        help="JSON: arguments by tool name. Tools that act are called only with these, twice with one id",
    )
    parser.add_argument(
        "--path", action="append", default=[], metavar="KEY=/PATH", help="another endpoint path"
    )
    asked = parser.parse_args(arguments)
    if not asked.secret.strip():
        parser.error(f"a signing secret is needed: --secret or {SECRET_VARIABLE}")
    if not asked.url.startswith(("http://", "https://")):
        parser.error("the address must begin with http:// or https://")
    asked.paths = dict(pair.partition("=")[::2] for pair in asked.path)
    asked.given = _given(parser, asked.call) if asked.call else {}
    return asked


def _given(parser: argparse.ArgumentParser, file: Path) -> dict[str, dict[str, Any]]:
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        parser.error("--call names no file of JSON that can be read")
    if not isinstance(value, dict) or not all(isinstance(params, dict) for params in value.values()):
        parser.error("--call holds an object of objects: tool name to arguments")
    return value


def _without_a_deployment() -> None:
    """Sets Django up with nothing of the surroundings: no database is opened, private addresses may be called."""
    import django

    os.environ["NODE_ENV"] = "development"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "root_platform.settings")
    django.setup()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
