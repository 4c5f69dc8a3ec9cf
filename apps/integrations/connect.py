"""Connecting a backend in one step: its row, then a first look at its manifest (contract §7.3)."""

from __future__ import annotations

from dataclasses import dataclass

from apps.foundation.errors import Conflict, NotFound, RootError
from apps.integrations.models import Integration
from apps.integrations.registration import NOTHING_HEARD, check_base_url, checked_secret, find, register
from apps.integrations.rootint.manifest import Manifest
from apps.integrations.rootint.registry import keep, probe, refresh

_ADDRESS = ["base_url", "signing_secret"]


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
    try:
        row = find(name)
    except NotFound:
        made = register(name=name, base_url=base_url, signing_secret=signing_secret)
        return _first_look(made.row)
    row.base_url, row.signing_secret = check_base_url(base_url), checked_secret(signing_secret)
    if row.status == Integration.Status.ACTIVE:
        return _moved(row)
    row.status = Integration.Status.PENDING
    for field, value in NOTHING_HEARD.items():
        setattr(row, field, value)
    row.save(update_fields=[*_ADDRESS, "status", *NOTHING_HEARD])
    return _first_look(row)


def look_again(name: str) -> Connected:
    """Asks a backend for its manifest now; what it had stays if there is a ``problem``.

    Raises :class:`~apps.foundation.errors.NotFound`, :class:`~apps.foundation.errors.Conflict` if it is disabled.
    """
    row = find(name)
    if row.status == Integration.Status.DISABLED:
        raise Conflict(f"{name} is disabled; register it again to use it.")
    return _first_look(row)


def _first_look(row: Integration) -> Connected:
    try:
        return Connected(row=row, manifest=refresh(row))
    except RootError as error:
        return Connected(row=row, manifest=None, problem=error.message)


def _moved(row: Integration) -> Connected:
    """Looks before anything is written: meanwhile turns go on with the address that works."""
    try:
        found = probe(row)
    except RootError as error:
        row.refresh_from_db()
        return Connected(row=row, manifest=None, problem=error.message)
    row.save(update_fields=_ADDRESS)
    return Connected(row=row, manifest=keep(row, found))
