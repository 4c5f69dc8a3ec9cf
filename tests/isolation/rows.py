"""A row of every table that belongs to a community, filled from the model alone; and a look through all of them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import connection, models

from apps.foundation import clock
from apps.tenancy.scoping import TenantModel
from tests.isolation.cast import Community
from tests.isolation.telling import markers_in

# A row of these lies with the live community, whichever of the pair is at work.
OF_THE_LIVE_ROW = {"tenant_api_keys", "tenant_users"}


def tenant_models() -> list[type[TenantModel]]:
    """Every table a community has rows in."""
    return [model for model in apps.get_models() if issubclass(model, TenantModel)]


def a_row_of_each(community: Community) -> list[TenantModel]:
    """One more row in every table that has none yet: those written by a service come from that service."""
    return [a_row(model, community.marker) for model in tenant_models() if _is_waiting(model)]


def a_row(model: type[TenantModel], marker: str, **given: Any) -> TenantModel:
    """A row of the current tenant, its marker in every text."""
    values = {field.attname: _value(field, marker) for field in model._meta.concrete_fields if _asks(field)}
    made: TenantModel = model.objects.create(**{**values, **given})
    return made


def _is_waiting(model: type[TenantModel]) -> bool:
    shadowed = model._meta.db_table in OF_THE_LIVE_ROW
    return not shadowed and not model.objects.exists()


def _asks(field: models.Field[Any, Any]) -> bool:
    if field.name in {"id", "tenant", "created_at"} or isinstance(field, models.GeneratedField):
        return False
    is_text = isinstance(field, models.TextField) and not field.choices
    return is_text or (not field.has_default() and not field.null and field.db_default is models.NOT_PROVIDED)


def _value(field: models.Field[Any, Any], marker: str) -> Any:
    if isinstance(field, models.ForeignKey):
        target: Any = field.remote_field.model
        found = target.objects.first() or a_row(target, marker)
        return found.pk
    if field.choices:
        return field.choices[0][0]
    if isinstance(field, ArrayField):
        return [marker]
    by_type: list[tuple[type[Any], Any]] = [
        (models.JSONField, {"note": marker}),
        (models.UUIDField, uuid.uuid4()),
        (models.DateTimeField, clock.now()),
        (models.DateField, date(2030, 1, 1)),
        (models.BooleanField, True),
        (models.FloatField, 1.0),
        (models.IntegerField, 1),
        (models.BinaryField, marker.encode()),
        (models.CharField, marker[:16]),
        (models.TextField, _TEXTS.get(field.name, f"{field.name} {marker}")),
    ]
    return next(value for kind, value in by_type if isinstance(field, kind))


# Columns whose values the database checks without naming them as choices.
_TEXTS = {
    "channel": "web", "direction": "inbound", "http_method": "GET", "auth_type": "none", "response_mode": "auto",
    "state": "recorded", "embedder": None, "environment": "live",
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A row as the database shows it."""

    table: str
    tenant_id: str
    markers: frozenset[str]


def all_rows() -> list[Row]:
    """Every row of every table with a tenant, the communities' own rows included."""
    return [row for table, column in _tables() for row in _rows(table, column)]


def _tables() -> Iterator[tuple[str, str]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name FROM information_schema.columns"
            " WHERE table_schema = 'public' AND column_name = 'tenant_id' ORDER BY table_name"
        )
        yield from [(name, "tenant_id") for (name,) in cursor.fetchall()]
    yield "tenants", "id"


def _rows(table: str, column: str) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT t."{column}"::text, t::text FROM "{table}" t')
        return [Row(table, tenant_id or "", _markers(text)) for tenant_id, text in cursor.fetchall()]


def _markers(text: str) -> frozenset[str]:
    # Bytes are shown in hexadecimal.
    return frozenset(markers_in(text) | markers_in(_decoded(text)))


def _decoded(text: str) -> str:
    found = [part for part in text.replace('"', ",").split(",") if part.startswith("\\\\x")]
    return " ".join(bytes.fromhex(part[3:]).decode("latin-1") for part in found)
