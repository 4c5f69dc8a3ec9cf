"""Connecting, re-keying and disconnecting a tenant's backend (contract §12.2)."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from apps.foundation.errors import BadInput, Conflict, NotFound
from apps.foundation.http import checked_url
from apps.foundation.http_failure import HttpFailure
from apps.integrations.models import Integration
from apps.integrations.rootint.endpoints import check_endpoint_paths
from apps.integrations.rootint.overrides import check_overrides
from apps.tenancy.context import current_tenant

SECRET_BYTES = 32
MIN_SECRET = 8
MAX_SECRET = 512
# What an address said before it was replaced says nothing about the new one: its tools would be called there.
NOTHING_HEARD: Final[Mapping[str, Any]] = {"manifest": None, "manifest_fetched_at": None}
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{1,63}")


@dataclass(frozen=True, slots=True)
class Registered:
    """A row and its secret, which is shown once."""

    row: Integration
    secret: str = field(repr=False)


def register(
    *, name: str, base_url: str, signing_secret: str | None = None, endpoint_paths: Any = None
) -> Registered:
    """Adds a backend as pending; its first good manifest makes it active. A disabled one of that name comes back."""
    if not _NAME.fullmatch(name):
        raise BadInput(
            "A name has 2 to 64 lower-case letters, digits, _ and -, and begins with a letter or digit."
        )
    secret = checked_secret(signing_secret)
    values = {
        "base_url": check_base_url(base_url),
        "signing_secret": secret,
        "endpoint_paths": check_endpoint_paths(endpoint_paths),
        "status": Integration.Status.PENDING,
        **NOTHING_HEARD,
    }
    row = Integration.objects.filter(name=name, status=Integration.Status.DISABLED).first()
    if row is None:
        row = Integration(name=name)
    for key, value in values.items():
        setattr(row, key, value)
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        raise Conflict(f"There is already an integration called {name}.") from None
    return Registered(row=row, secret=secret)


def find(name: str) -> Integration:
    """The backend of that name; raises :class:`NotFound`."""
    row: Integration | None = integrations().filter(name=name).first() if _NAME.fullmatch(name) else None
    if row is None:
        raise NotFound("There is no such integration.")
    return row


def list_integrations() -> list[Integration]:
    """Every backend of the current tenant, the disabled ones too."""
    return list(integrations().order_by("name"))


def integrations() -> QuerySet[Integration]:
    """The same, unread and in no order."""
    return Integration.objects.filter(environment=current_tenant().environment)


def tool_names(row: Integration) -> list[str]:
    """The tools its manifest in use declares, overrides aside."""
    declared = row.manifest.get("tools") if isinstance(row.manifest, dict) else None
    names = (
        [tool.get("name") for tool in declared if isinstance(tool, dict)]
        if isinstance(declared, list)
        else []
    )
    return [name for name in names if isinstance(name, str)]


def rotate_secret(name: str) -> Registered:
    """Gives a backend a new secret. Calls under way end with the old one; every later call and retry has the new.

    A backend that must not miss a call accepts both until it has the new one.
    """
    row = find(name)
    row.signing_secret = checked_secret(None)
    row.save(update_fields=["signing_secret"])
    return Registered(row=row, secret=row.signing_secret)


def disable(name: str) -> None:
    """Takes a backend out of use; its row stays."""
    row = find(name)
    row.status = Integration.Status.DISABLED
    row.save(update_fields=["status"])


def set_overrides(name: str, overrides: Any) -> Integration:
    """Replaces what admins changed about a backend's tools; raises :class:`BadInput`."""
    row = find(name)
    row.tool_overrides = check_overrides(overrides)
    row.save(update_fields=["tool_overrides"])
    return row


def check_base_url(base_url: str) -> str:
    """An address calls can be built on; raises :class:`BadInput`."""
    try:
        parsed = checked_url(base_url.strip())
    except HttpFailure as failure:
        raise BadInput(f"This base_url cannot be used. {failure.message}") from None
    if parsed.query or parsed.fragment or base_url.strip().endswith(("?", "#")):
        raise BadInput("A base_url has no query and no fragment.")
    return str(parsed).rstrip("/")


def checked_secret(given: str | None) -> str:
    """The secret to sign with, made here when none is given; raises :class:`BadInput`."""
    if given is None:
        return secrets.token_hex(SECRET_BYTES)
    if not MIN_SECRET <= len(given.strip()) <= MAX_SECRET or not given.isprintable():
        raise BadInput(f"A signing_secret has {MIN_SECRET} to {MAX_SECRET} printable characters.")
    return given
