"""Whom a program means: a reference must be known here, an address or a Slack id is looked into (contract §12.2)."""

from __future__ import annotations

from apps.agent.turn_values import Caller
from apps.foundation.errors import NotFound
from apps.tenancy import principals

_NOBODY = "Nobody here has this reference. Send people with POST /api/v1/principals/sync first."


def require_known(caller: Caller) -> None:
    """Raises :class:`NotFound` for a reference nobody has: a misspelt one must not become a stranger's turn."""
    if caller.ref is not None and principals.by_ref(caller.ref.strip()) is None:
        raise NotFound(_NOBODY)
