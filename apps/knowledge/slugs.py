"""Slugs for titles in any script (contract §11.2)."""

from __future__ import annotations

from django.db.models import Q
from slugify import slugify

from apps.foundation.errors import BadInput
from apps.foundation.text import clean
from apps.knowledge.models import KnowledgePage

MAX_SLUG_CHARS = 100
_FALLBACK = "page"
_READ_CHARS = 1_000


def derived_slug(title: str) -> str:
    """A slug made from a title; a title without letters gives ``page``."""
    return _slugified(title) or _FALLBACK


def explicit_slug(slug: str) -> str:
    """A slug somebody chose, brought into form; raises :class:`BadInput` when nothing is left of it."""
    made = _slugified(slug)
    if not made:
        raise BadInput("A slug needs at least one letter or digit, such as opening-hours.")
    return made


def free_slug(base: str) -> str:
    """The base, or the base with the first number that no page of this tenant has."""
    taken = set(
        KnowledgePage.objects.filter(Q(slug=base) | Q(slug__startswith=base[: MAX_SLUG_CHARS - 12]))
        .values_list("slug", flat=True)
        .iterator()
    )
    number, candidate = 1, base
    while candidate in taken:
        number += 1
        suffix = f"-{number}"
        candidate = base[: MAX_SLUG_CHARS - len(suffix)].rstrip("-") + suffix
    return candidate


def _slugified(text: str) -> str:
    return str(slugify(clean(text)[:_READ_CHARS], max_length=MAX_SLUG_CHARS)).strip("-")
