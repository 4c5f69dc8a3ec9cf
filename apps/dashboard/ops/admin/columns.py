"""Columns and filters that many tables share."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.agent.models.conversations import CHANNELS
from apps.foundation.text import clean, one_line
from apps.tenancy.models import Tenant

OFFERED_TENANTS = 20


class TenantFilter(admin.SimpleListFilter):
    """One tenant's rows. A few are offered; any other is reached from its own page, or by searching for its slug."""

    title = "tenant"
    parameter_name = "tenant"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        slugs = list(Tenant.objects.order_by("slug").values_list("slug", flat=True)[:OFFERED_TENANTS])
        chosen = request.GET.get(self.parameter_name)
        if chosen and chosen not in slugs:
            slugs.insert(0, one_line(chosen, limit=68))
        return [(slug, slug) for slug in slugs]

    def has_output(self) -> bool:
        return True

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        slug = self.value()
        return queryset if slug is None else queryset.filter(tenant__slug=clean(slug))


class _Among(admin.SimpleListFilter):
    """Rows with one of a column's known values: named here, since asking the table would read all of it."""

    known: ClassVar[tuple[str, ...]] = ()

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(value, value) for value in self.known]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value()
        return queryset if chosen not in self.known else queryset.filter(**{str(self.parameter_name): chosen})


class ChannelFilter(_Among):
    """Where it was said."""

    title = parameter_name = "channel"
    known = tuple(CHANNELS)


class DirectionFilter(_Among):
    """To us or from us."""

    title = parameter_name = "direction"
    known = ("inbound", "outbound")


def one_cell(text: str) -> str:
    """A text that may be long or hostile, in one table cell."""
    return one_line(text, limit=160)
