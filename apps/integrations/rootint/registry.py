"""The backends of the current tenant and their effective manifests (contract §7.2, §7.5).

A manifest is asked for at most once a minute and process. When the answer fails, the last good one stays in
use and the minute starts over: a backend that is down is not hammered, and its community keeps its tools.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from apps.foundation import clock
from apps.foundation.errors import RootError
from apps.foundation.ttl_cache import TtlCache
from apps.foundation.wire_json import clean_json
from apps.integrations.models import Integration
from apps.integrations.rootint.endpoints import url_for
from apps.integrations.rootint.flights import Flights
from apps.integrations.rootint.manifest import Manifest, parse_manifest
from apps.integrations.rootint.overrides import apply_overrides
from apps.integrations.rootint.wire import expect_success, signed_json
from apps.tenancy.context import current_tenant

MANIFEST_TTL_SECONDS = 60
FLIGHT_WAIT_SECONDS = 20
_MOST_AT_ONCE = 8

logger = logging.getLogger(__name__)

CacheKey = tuple[UUID, str]


@dataclass(frozen=True, slots=True)
class ActiveIntegration:
    """A backend ready to be used, with overrides already applied."""

    id: UUID
    name: str
    manifest: Manifest


@dataclass(frozen=True, slots=True)
class _Known:
    """What a check brought; None when there never was a usable manifest."""

    manifest: Manifest | None


_cache: TtlCache[CacheKey, _Known] = TtlCache(MANIFEST_TTL_SECONDS, max_entries=4096)
_flights: Flights[CacheKey] = Flights()


def active_integrations() -> tuple[ActiveIntegration, ...]:
    """The current tenant's usable backends in a stable order, stale manifests refreshed first."""
    rows = enabled_rows()
    _refresh_stale(rows)
    found = []
    for row in rows:
        known = _cache.get(_key(row)) or _Known(_stored_manifest(row))
        if known.manifest is not None:
            manifest = apply_overrides(known.manifest, row.tool_overrides)
            found.append(ActiveIntegration(id=row.pk, name=row.name, manifest=manifest))
    return tuple(found)


def enabled_rows() -> list[Integration]:
    """The rows that are not disabled, in the environment of the tenant."""
    usable = (Integration.Status.ACTIVE, Integration.Status.PENDING)
    rows = Integration.objects.filter(status__in=usable, environment=current_tenant().environment)
    return list(rows.order_by("created_at", "name"))


def active_rows() -> list[Integration]:
    """Those of them whose manifest was good at least once."""
    return [row for row in enabled_rows() if row.status == Integration.Status.ACTIVE]


def refresh(integration: Integration) -> Manifest:
    """Asks for the manifest now and keeps it. When that fails the old one stays and :class:`RootError` tells."""
    return keep(integration, probe(integration))


@dataclass(frozen=True, slots=True)
class Probe:
    """A good manifest, as it came and as it was read."""

    raw: Any = field(repr=False)
    manifest: Manifest


def probe(integration: Integration) -> Probe:
    """Asks for the manifest and changes nothing; raises :class:`RootError`."""
    raw, manifest = _fetch(integration)
    return Probe(raw, manifest)


def keep(integration: Integration, found: Probe) -> Manifest:
    """Makes it the manifest in use."""
    _store(integration, found.raw)
    _cache.put(_key(integration), _Known(found.manifest))
    return found.manifest


def _refresh_stale(rows: Iterable[Integration]) -> None:
    """Each stale manifest is fetched by one caller; others use the old one, or wait if there is none."""
    stale = {_key(row): row for row in rows if _cache.get(_key(row)) is None}
    if not stale:
        return
    with _flights.claim(stale) as mine:
        _refresh_together([stale[key] for key in mine if _cache.get(key) is None])
    for key, row in stale.items():
        if key not in mine and row.manifest is None:
            _flights.wait(key, seconds=FLIGHT_WAIT_SECONDS)


def _refresh_together(rows: list[Integration]) -> None:
    for row, outcome in zip(rows, _attempts(rows), strict=True):
        if isinstance(outcome, RootError):
            logger.warning("manifest of integration %s not refreshed: %s", row.pk, outcome.message)
            _cache.put(_key(row), _Known(_stored_manifest(row)))
        else:
            raw, manifest = outcome
            _store(row, raw)
            _cache.put(_key(row), _Known(manifest))


def _attempts(rows: list[Integration]) -> list[tuple[Any, Manifest] | RootError]:
    if len(rows) < 2:
        return [_attempt(row) for row in rows]
    # Only the waiting happens side by side; rows are read and written in the caller's thread.
    with ThreadPoolExecutor(min(len(rows), _MOST_AT_ONCE)) as pool:
        jobs = [pool.submit(copy_context().run, _attempt, row) for row in rows]
        return [job.result() for job in jobs]


def _attempt(row: Integration) -> tuple[Any, Manifest] | RootError:
    try:
        return _fetch(row)
    except RootError as error:
        return error


def _fetch(row: Integration) -> tuple[Any, Manifest]:
    status, raw = signed_json(row, "manifest")
    expect_success(status)
    return raw, parse_manifest(raw)


def _store(row: Integration, raw: Any) -> None:
    fetched_at = clock.now()
    # Written only if the row still points where the manifest came from; a disabled row stays disabled.
    same = Integration.objects.filter(pk=row.pk, base_url=row.base_url)
    same.update(manifest=clean_json(raw), manifest_fetched_at=fetched_at)
    same.filter(status=Integration.Status.PENDING).update(status=Integration.Status.ACTIVE)
    row.manifest, row.manifest_fetched_at = raw, fetched_at
    if row.status == Integration.Status.PENDING:
        row.status = Integration.Status.ACTIVE


def _stored_manifest(row: Integration) -> Manifest | None:
    if row.manifest is None:
        return None
    try:
        return parse_manifest(row.manifest)
    except RootError:
        return None


def _key(row: Integration) -> CacheKey:
    # A new address is a new backend, whatever the cache still holds.
    try:
        return row.pk, url_for(row, "manifest")
    except RootError:
        return row.pk, ""
