"""Who operates the platform: a list of addresses, each with its operator row (contract §2.2).

The database holds that no operator outlives their listing; here both are made and taken away together.
"""

from __future__ import annotations

from django.db import transaction

from apps.foundation.errors import BadInput
from apps.tenancy.emails import normalized_email
from apps.tenancy.models import Operator, PlatformAdmin


def add_platform_admin(email: str) -> PlatformAdmin:
    """Lists an address, or finds it listed; raises :class:`BadInput` for what is none."""
    address = normalized_email(email)
    if address is None:
        raise BadInput("This is not an e-mail address.")
    with transaction.atomic():
        row, _ = PlatformAdmin.objects.get_or_create(email=address)
        # Locked: whoever lists the same address at this moment finds the operator made.
        PlatformAdmin.objects.select_for_update().get(pk=row.pk)
        if not Operator.objects.filter(email=address).exists():
            Operator.objects.create_operator(address)
    return row


def remove_platform_admin(email: str) -> bool:
    """Takes an address off the list, and its operator with it; False when it was not there."""
    address = normalized_email(email) or ""
    with transaction.atomic():
        Operator.objects.filter(email=address).delete()
        return bool(PlatformAdmin.objects.filter(email=address).delete()[0])


def is_platform_admin(email: str) -> bool:
    """Is this address listed now?"""
    return operator_of(email) is not None


def operator_of(email: str) -> Operator | None:
    """The operator with this address, while it is listed."""
    return Operator.objects.filter(email=normalized_email(email) or "", is_active=True).first()


def list_platform_admins() -> list[PlatformAdmin]:
    """Everybody who is listed, by address."""
    return list(PlatformAdmin.objects.order_by("email"))
