"""A tenant's secrets for other people's services: stored, read by those who need them, never shown (contract §2.1)."""

from __future__ import annotations

import re
from typing import Any

from apps.foundation.errors import BadInput
from apps.tenancy.models import TenantCredential

MAX_VALUE = 16_384
_KIND = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")


def credential(kind: str) -> str | None:
    """The current tenant's secret of this kind, or None."""
    found: str | None = TenantCredential.objects.filter(kind=kind).values_list("value", flat=True).first()
    return found


def store_credential(kind: str, *, value: str, metadata: dict[str, Any] | None = None) -> None:
    """Keeps a secret in place of the one before; raises :class:`BadInput`, which never quotes the value."""
    if not _KIND.fullmatch(kind):
        raise BadInput("A kind of credential has 1 to 64 lower-case letters, digits, dots, - and _.")
    if not value.strip() or len(value) > MAX_VALUE or not value.isprintable():
        raise BadInput(f"A credential has 1 to {MAX_VALUE} printable characters.")
    TenantCredential.objects.update_or_create(
        kind=kind, defaults={"value": value.strip(), "metadata": metadata or {}}
    )


def forget_credential(kind: str) -> bool:
    """Deletes a secret; False when there was none."""
    return bool(TenantCredential.objects.filter(kind=kind).delete()[0])
