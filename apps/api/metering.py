"""What programs' turns and tool runs cost, a row for each (contract §12.2)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import asdict
from typing import Final, Protocol, TypeVar
from uuid import UUID

from django.db import Error as DatabaseError

from apps.foundation.database import at_work
from apps.integrations.llm.metering import UsageTotals, collecting
from apps.tenancy.models import TenantApiKey
from apps.tenancy.usage import record_api_request

REST_TURN: Final = "rest_agent_turn"
REST_TOOL: Final = "rest_tool_execute"
MCP_TURN: Final = "mcp_ask_agent"
MCP_TOOL: Final = "mcp_call_tool"
_log = logging.getLogger(__name__)


class Metered(Protocol):
    """What came of the work, as far as the meter is concerned."""

    @property
    def success(self) -> bool: ...

    @property
    def trace_id(self) -> str: ...


M = TypeVar("M", bound=Metered)


def metered(work: Callable[[], M], *, surface: str, key: TenantApiKey) -> M:
    """Does the work and books it, also when it fails; what was spent until then was spent."""
    with collecting() as usage:
        try:
            done = work()
        except BaseException:
            _book(surface, key.pk, usage.totals(), success=False, trace_id="")
            raise
        _book(surface, key.pk, usage.totals(), success=done.success, trace_id=done.trace_id)
        return done


def _book(surface: str, key_id: UUID, usage: UsageTotals, *, success: bool, trace_id: str) -> None:
    spent = asdict(usage)
    try:
        with at_work():
            record_api_request(
                surface=surface,
                api_key_id=key_id,
                success=success,
                trace_id=trace_id,
                total_tokens=spent.pop("tokens"),
                **spent,
            )
    except DatabaseError:
        # The answer is there and paid for; losing it as well would help nobody.
        _log.exception("the use of %s could not be booked", surface)
