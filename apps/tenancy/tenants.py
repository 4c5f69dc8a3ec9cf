"""Finding, making and changing tenants (contract §1, §1.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo, available_timezones

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from apps.foundation.errors import BadInput, Conflict, NotFound
from apps.foundation.text import one_line
from apps.tenancy import row_cache
from apps.tenancy.models import ROOT_TENANT_SLUG, Tenant
from apps.tenancy.settings_schema import TenantSettings

SHADOW_SUFFIX: Final = "--dev"
# The parts of the settings that make up who the agent is (§1.1).
IDENTITY: Final = ("persona", "agent_character")
# What a new shadow takes over once, so that it does not trust other people than its live row does.
_AT_FIRST: Final = (*IDENTITY, "access")
_NAME_LIMITS: Final = {"display_name": 200, "agent_name": 80}
_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


def find_tenant(slug: str) -> Tenant:
    """The tenant with this slug, cached 30 s; raises :class:`NotFound`."""
    row = row_cache.cached(slug=slug)
    if row is None and _is_any_slug(slug):
        row = row_cache.read(slug=slug)
    if row is None:
        raise NotFound("There is no such community.")
    return row


def tenant_by_id(tenant_id: UUID) -> Tenant:
    """The tenant with this id, cached 30 s; raises :class:`NotFound`."""
    row = row_cache.cached(tenant_id=tenant_id) or row_cache.read(pk=tenant_id)
    if row is None:
        raise NotFound("There is no such community.")
    return row


def active_tenants() -> QuerySet[Tenant]:
    """The communities sweeps may work for: active themselves, and a shadow only while its live row is."""
    live_is_active = Q(live_tenant=None) | Q(live_tenant__status=Tenant.Status.ACTIVE)
    rows = Tenant.objects.filter(live_is_active, status=Tenant.Status.ACTIVE)
    return rows.select_related("live_tenant").order_by("id")


def only_tenant() -> Tenant:
    """The one live community beside the root tenant, else the root tenant; :class:`BadInput` when there are several."""
    others = list(
        Tenant.objects.filter(environment=Tenant.Environment.LIVE)
        .exclude(slug=ROOT_TENANT_SLUG)
        .order_by("slug")[:2]
    )
    if len(others) > 1:
        raise BadInput("There are several communities here; name one with --tenant.")
    return others[0] if others else find_tenant(ROOT_TENANT_SLUG)


def create_tenant(
    slug: str,
    *,
    display_name: str | None = None,
    agent_name: str | None = None,
    timezone: str | None = None,
    settings: dict[str, Any] | None = None,
) -> Tenant:
    """Makes a live tenant; raises :class:`BadInput` with a sentence, or :class:`Conflict` for a taken slug."""
    if not _SLUG.fullmatch(slug) or "--" in slug:
        raise BadInput(
            "A slug has 1 to 63 lower-case letters, digits and single hyphens, such as harbour-works."
        )
    tenant = Tenant(slug=slug, display_name=one_line(display_name or slug), settings=_checked(settings or {}))
    if agent_name:
        tenant.agent_name = _name("agent_name", agent_name)
    if timezone:
        tenant.timezone = checked_timezone(timezone)
    try:
        with transaction.atomic():
            tenant.save()
    except IntegrityError:
        raise Conflict(f"There is already a community called {slug}.") from None
    return tenant


def update_settings(tenant: Tenant, settings: dict[str, Any]) -> Tenant:
    """Replaces a tenant's settings, and its twin's identity with them; raises :class:`BadInput`."""
    return update_tenant(tenant, settings=settings)


def update_tenant(
    tenant: Tenant,
    *,
    display_name: str | None = None,
    agent_name: str | None = None,
    timezone: str | None = None,
    settings: dict[str, Any] | None = None,
) -> Tenant:
    """Changes what is given, and mirrors who the agent is to the twin; raises :class:`BadInput`."""
    changes: dict[str, Any] = {}
    if display_name is not None:
        changes["display_name"] = _name("display_name", display_name)
    if agent_name is not None:
        changes["agent_name"] = _name("agent_name", agent_name)
    if timezone is not None:
        changes["timezone"] = checked_timezone(timezone)
    if settings is not None:
        changes["settings"] = _checked(settings)
    with transaction.atomic():
        row, twin = _locked_pair(tenant)
        for field, value in changes.items():
            setattr(row, field, value)
        row.save(update_fields=[*changes, "updated_at"])
        if twin is not None:
            _mirror_identity(row, twin)
    return Tenant.objects.select_related("live_tenant").get(pk=row.pk)


def set_status(tenant: Tenant, status: str) -> Tenant:
    """Suspends or activates a community; here at once, in other processes within thirty seconds.

    A shadow rests while its live row does, whatever its own status says; so that comes back with the live row.
    """
    if status not in Tenant.Status.values:
        raise BadInput(f"A community is {', '.join(Tenant.Status.values)}; nothing else.")
    with transaction.atomic():
        row, twin = _locked_pair(tenant)
        wakes_a_shadow = status == Tenant.Status.ACTIVE and row.environment == Tenant.Environment.DEV
        if wakes_a_shadow and twin is not None and not twin.is_active:
            raise Conflict("Its live community is not active; activate that first.")
        row.status = status
        row.save(update_fields=["status", "updated_at"])
    return Tenant.objects.select_related("live_tenant").get(pk=row.pk)


def shadow_of(live: Tenant) -> Tenant:
    """The ``--dev`` row of a live tenant, made when missing; identity is mirrored, data is its own."""
    if live.environment != Tenant.Environment.LIVE:
        raise BadInput("Only a live community has a development shadow.")
    shadow, _ = Tenant.objects.get_or_create(
        live_tenant=live,
        defaults={
            "slug": live.slug + SHADOW_SUFFIX,
            "display_name": live.display_name,
            "agent_name": live.agent_name,
            "timezone": live.timezone,
            "environment": Tenant.Environment.DEV,
            "settings": _parts(live, _AT_FIRST),
        },
    )
    return shadow


def tenant_in_environment(live_id: UUID, environment: str) -> Tenant:
    """The live row or its shadow, cached 30 s; raises :class:`NotFound` when the shadow was never made."""
    live = tenant_by_id(live_id)
    if environment == Tenant.Environment.LIVE:
        return live
    slug = live.slug + SHADOW_SUFFIX
    row = row_cache.cached(slug=slug) or row_cache.read(live_tenant_id=live_id)
    if row is None or row.live_tenant_id != live_id:
        raise NotFound("This community has no development environment yet.")
    return row


def checked_timezone(name: str) -> str:
    """An IANA zone name, or :class:`BadInput`."""
    if name not in available_timezones():
        raise BadInput(f"{one_line(name, limit=60)} is not a time zone; use a name such as Europe/Lisbon.")
    return ZoneInfo(name).key


def _locked_pair(tenant: Tenant) -> tuple[Tenant, Tenant | None]:
    """The row as it is now and its twin; the live one is locked first, whichever was asked for."""
    live_id = tenant.live_tenant_id or tenant.pk
    pair = Tenant.objects.select_for_update().filter(Q(pk=live_id) | Q(live_tenant_id=live_id))
    rows = {row.pk: row for row in pair.order_by("-environment")}
    row = rows.pop(tenant.pk, None)
    if row is None:
        raise NotFound("There is no such community.")
    return row, next(iter(rows.values()), None)


def _mirror_identity(row: Tenant, twin: Tenant) -> None:
    """A live row and its shadow speak with one voice, whichever of them was saved."""
    own = {name: value for name, value in twin.settings.items() if name not in IDENTITY}
    twin.settings, twin.agent_name = {**own, **_parts(row, IDENTITY)}, row.agent_name
    twin.save(update_fields=["settings", "agent_name", "updated_at"])


def _parts(row: Tenant, names: Iterable[str]) -> dict[str, Any]:
    return {name: row.settings[name] for name in names if name in row.settings}


def _name(field: str, given: str) -> str:
    name = one_line(given, limit=_NAME_LIMITS[field])
    if not name:
        raise BadInput(f"The {field.replace('_', ' ')} cannot be empty.")
    return name


def _checked(settings: dict[str, Any]) -> dict[str, Any]:
    problems = TenantSettings.problems(settings)
    if problems:
        raise BadInput("These settings cannot be stored. " + " ".join(problems))
    return settings


def _is_any_slug(slug: str) -> bool:
    return _SLUG.fullmatch(slug.removesuffix(SHADOW_SUFFIX)) is not None
