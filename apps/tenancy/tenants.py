"""Finding and making tenants (contract §1, §1.1)."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, available_timezones

from django.db import IntegrityError, transaction
from django.db.models import Q

from apps.foundation.errors import BadInput, Conflict, NotFound
from apps.foundation.text import one_line
from apps.foundation.ttl_cache import TtlCache
from apps.tenancy.models import ROOT_TENANT_SLUG, Tenant
from apps.tenancy.settings_schema import TenantSettings

ROW_CACHE_SECONDS = 30
SHADOW_SUFFIX = "--dev"
# The parts of the settings that make up who the agent is (§1.1).
IDENTITY = ("persona", "agent_character")
_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_by_slug: TtlCache[str, Tenant] = TtlCache(ROW_CACHE_SECONDS)
_by_id: TtlCache[UUID, Tenant] = TtlCache(ROW_CACHE_SECONDS)


def find_tenant(slug: str) -> Tenant:
    """The tenant with this slug, cached 30 s; raises :class:`NotFound`."""
    cached = _by_slug.get(slug)
    if cached is not None:
        return cached
    row = Tenant.objects.filter(slug=slug).first() if _is_any_slug(slug) else None
    if row is None:
        raise NotFound("There is no such community.")
    return _remember(row)


def tenant_by_id(tenant_id: UUID) -> Tenant:
    """The tenant with this id, cached 30 s; raises :class:`NotFound`."""
    cached = _by_id.get(tenant_id)
    if cached is not None:
        return cached
    row = Tenant.objects.filter(pk=tenant_id).first()
    if row is None:
        raise NotFound("There is no such community.")
    return _remember(row)


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
        tenant.agent_name = one_line(agent_name, limit=80)
    if timezone:
        tenant.timezone = checked_timezone(timezone)
    try:
        with transaction.atomic():
            tenant.save()
    except IntegrityError:
        raise Conflict(f"There is already a community called {slug}.") from None
    return _remember(tenant)


def update_settings(tenant: Tenant, settings: dict[str, Any]) -> Tenant:
    """Replaces a tenant's settings, and its twin's identity with them; raises :class:`BadInput`."""
    row = Tenant.objects.get(pk=tenant.pk)
    row.settings = _checked(settings)
    with transaction.atomic():
        row.save(update_fields=["settings", "updated_at"])
        twin = _mirror_identity(row)
    if twin is not None:
        _remember(Tenant.objects.get(pk=twin.pk))
    return _remember(Tenant.objects.get(pk=row.pk))


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
            "settings": _identity_of(live),
        },
    )
    return shadow


def tenant_in_environment(live_id: UUID, environment: str) -> Tenant:
    """The live row or its shadow; raises :class:`NotFound` when the shadow was never made."""
    if environment == Tenant.Environment.LIVE:
        return tenant_by_id(live_id)
    row = Tenant.objects.filter(live_tenant_id=live_id).first()
    if row is None:
        raise NotFound("This community has no development environment yet.")
    return row


def _identity_of(row: Tenant) -> dict[str, Any]:
    return {name: row.settings[name] for name in IDENTITY if name in row.settings}


def _mirror_identity(row: Tenant) -> Tenant | None:
    """A live row and its shadow speak with one voice, whichever of them was saved."""
    twin = Tenant.objects.filter(Q(live_tenant=row) | Q(pk=row.live_tenant_id)).first()
    if twin is not None:
        own = {name: value for name, value in twin.settings.items() if name not in IDENTITY}
        twin.settings, twin.agent_name = {**own, **_identity_of(row)}, row.agent_name
        twin.save(update_fields=["settings", "agent_name", "updated_at"])
    return twin


def checked_timezone(name: str) -> str:
    """An IANA zone name, or :class:`BadInput`."""
    if name not in available_timezones():
        raise BadInput(f"{one_line(name, limit=60)} is not a time zone; use a name such as Europe/Lisbon.")
    return ZoneInfo(name).key


def _checked(settings: dict[str, Any]) -> dict[str, Any]:
    problems = TenantSettings.problems(settings)
    if problems:
        raise BadInput("These settings cannot be stored. " + " ".join(problems))
    return settings


def _is_any_slug(slug: str) -> bool:
    return _SLUG.fullmatch(slug.removesuffix(SHADOW_SUFFIX)) is not None


def _remember(row: Tenant) -> Tenant:
    _by_slug.put(row.slug, row)
    _by_id.put(row.pk, row)
    return row
