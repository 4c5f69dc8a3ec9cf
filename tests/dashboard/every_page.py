"""The admin's pages, found through its own registry, so that a new one is tested the day it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse

if TYPE_CHECKING:
    from django.db.models import Model


def listed() -> list[tuple[type[Model], str]]:
    """Every table and the address of its list."""
    from apps.dashboard.ops.admin.urls import PAGES

    return [(model, reverse(_name(model, "changelist"))) for model in PAGES]


def pages_of(model: type[Model], pk: object) -> list[str]:
    """A row's own page and its history."""
    return [reverse(_name(model, page), args=[pk]) for page in ("change", "history")]


def standing_addresses() -> list[str]:
    """Addresses that do not depend on rows, as they would be typed."""
    added = [reverse(_name(model, "add")) for model, _ in listed()]
    return [reverse("admin:index"), reverse("admin:queues"), *(address for _, address in listed()), *added]


def _name(model: type[Model], page: str) -> str:
    return f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}"
