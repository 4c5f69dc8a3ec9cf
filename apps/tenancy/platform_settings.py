"""Values for the whole platform, read at most once a minute (contract §2.2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from django.db import transaction

from apps.foundation.ttl_cache import TtlCache
from apps.tenancy.models import PlatformSetting

T = TypeVar("T")

CACHE_SECONDS = 60
# What the reader made of the value, in a tuple of one: an absent setting is remembered as well.
_cached: TtlCache[str, tuple[Any]] = TtlCache(CACHE_SECONDS, 256)


def platform_setting(key: str, *, view: Callable[[Any], T]) -> T:
    """What ``view`` makes of the stored value, or of None where there is none. One key has one view.

    The result is shared by all callers for the minute, so a view returns something that cannot be changed.
    """
    known = _cached.get(key)
    if known is None:
        stored = PlatformSetting.objects.filter(key=key).values_list("value", flat=True).first()
        known = (view(stored),)
        _cached.put(key, known)
    seen: T = known[0]
    return seen


def stored_setting(key: str) -> Any:
    """The stored value as it is now, past the cache; None where there is none."""
    return PlatformSetting.objects.filter(key=key).values_list("value", flat=True).first()


def save_platform_setting(key: str, value: Any) -> None:
    """Stores a value in place of the old one; None takes it away."""
    with transaction.atomic():
        if value is None:
            PlatformSetting.objects.filter(key=key).delete()
        else:
            PlatformSetting.objects.update_or_create(key=key, defaults={"value": value})
        # Once for this transaction's own reads and once when others can see the row: a reader in between
        # would have put the old value back.
        _cached.drop(key)
        transaction.on_commit(partial(_cached.drop, key))
