"""How long links and the browsers they are bound to stay (contract §10.5)."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from apps.foundation.clock import now
from apps.knowledge.models import WebBrowserSession, WebLinkToken
from apps.tenancy.scoping import TenantModel, unscoped

# So long somebody who comes late still reads that the link has expired.
KEEP_EXPIRED: Final = timedelta(days=30)
_BATCH: Final = 1_000


def sweep() -> int:
    """Deletes browsers whose time is over and expired links no browser reads by; of all communities, in batches."""
    gone = unscoped(WebBrowserSession).filter(expires_at__lt=now())
    ended = unscoped(WebLinkToken).filter(expires_at__lt=now() - KEEP_EXPIRED, browser_session__isnull=True)
    return _delete(WebBrowserSession, list(gone.values_list("pk", flat=True)[:_BATCH])) + _delete(
        WebLinkToken, list(ended.values_list("pk", flat=True)[:_BATCH])
    )


def _delete(model: type[TenantModel], ids: list[object]) -> int:
    # The database itself lets links go of a browser that is deleted; they stay used up.
    return int(unscoped(model).filter(pk__in=ids)._raw_delete("default")) if ids else 0
