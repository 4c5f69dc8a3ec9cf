"""A tenant's logo: a small picture, judged by its bytes (contract §2.3)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Final

from apps.foundation.errors import BadInput
from apps.foundation.picture_size import picture_size
from apps.foundation.pictures import picture_type
from apps.tenancy.models import TenantAsset

MAX_LOGO_BYTES: Final = 1024 * 1024
# A megabyte can unfold into gigabytes of pixels in the browser that shows it.
MAX_LOGO_SIDE: Final = 4096


@dataclass(frozen=True, slots=True)
class Logo:
    """The picture, its media type, and a hash that changes with it."""

    content: bytes = field(repr=False)
    content_type: str
    content_hash: str


def save_logo(content: bytes, *, content_type: str | None = None) -> Logo:
    """Keeps a PNG, JPEG, GIF or WebP of at most 1 MB; raises :class:`BadInput`.

    What the picture is called counts for nothing: a type that does not fit the bytes is refused.
    """
    found = picture_type(content)
    if found is None or content_type not in (None, found):
        raise BadInput("A logo is a PNG, JPEG, GIF or WebP picture.")
    if len(content) > MAX_LOGO_BYTES:
        raise BadInput("A logo has 1 MB at most.")
    size = picture_size(content)
    if size is None or not all(1 <= side <= MAX_LOGO_SIDE for side in size):
        raise BadInput(f"A logo is at most {MAX_LOGO_SIDE} pixels wide and high.")
    kept = Logo(content=content, content_type=found, content_hash=hashlib.sha256(content).hexdigest())
    TenantAsset.objects.update_or_create(
        kind=TenantAsset.Kind.LOGO,
        defaults={
            "content": kept.content,
            "content_type": kept.content_type,
            "content_hash": kept.content_hash,
        },
    )
    return kept


def logo() -> Logo | None:
    """The current tenant's logo, if it has one."""
    row = TenantAsset.objects.filter(kind=TenantAsset.Kind.LOGO).first()
    return None if row is None else Logo(bytes(row.content), row.content_type, row.content_hash)


def remove_logo() -> bool:
    """Takes the logo away; False when there was none."""
    return bool(TenantAsset.objects.filter(kind=TenantAsset.Kind.LOGO).delete()[0])
