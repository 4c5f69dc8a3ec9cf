"""Connecting a backend in one step: its row, then a first look at its manifest (contract §7.3)."""

from __future__ import annotations

from dataclasses import dataclass

from apps.foundation.errors import NotFound, RootError
from apps.integrations.models import Integration
from apps.integrations.registration import check_base_url, checked_secret, find, register
from apps.integrations.rootint.manifest import Manifest
from apps.integrations.rootint.registry import refresh


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """The row, and either its manifest or a sentence on why it is still pending."""

    row: Integration
    manifest: Manifest | None
    problem: str = ""


def connect(name: str, *, base_url: str, signing_secret: str) -> Connected:
    """Registers a backend of the current tenant, or points the one of this name elsewhere, and asks for its manifest.

    Raises :class:`~apps.foundation.errors.BadInput`; a backend that does not answer is a ``problem``, not an error,
    and one that worked before then stays where it was.
    """
    before = Integration.objects.filter(name=name, status=Integration.Status.ACTIVE).first()
    row = _pointed_at(name, base_url=base_url, signing_secret=signing_secret)
    try:
        return Connected(row=row, manifest=refresh(row))
    except RootError as error:
        if before is not None:
            before.save(update_fields=["base_url", "signing_secret", "status"])
        return Connected(row=before or row, manifest=None, problem=error.message)


def _pointed_at(name: str, *, base_url: str, signing_secret: str) -> Integration:
    try:
        row = find(name)
    except NotFound:
        return register(name=name, base_url=base_url, signing_secret=signing_secret).row
    row.base_url = check_base_url(base_url)
    row.signing_secret = checked_secret(signing_secret)
    row.status = Integration.Status.PENDING
    row.save(update_fields=["base_url", "signing_secret", "status"])
    return row
