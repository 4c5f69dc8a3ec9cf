"""A turn that a program asks for on behalf of a person, over REST or MCP (contract §8.1, §12.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from apps.agent.callers import require_known
from apps.agent.turns import Caller, TurnOutcome, TurnRequest, run_turn
from apps.api.metering import metered
from apps.channels.web.listener import WebListener
from apps.foundation.database import at_work
from apps.foundation.errors import Unavailable
from apps.tenancy.models import TenantApiKey

CHANNEL: Final = "api"


class CallerLeft(Unavailable):
    """Nobody waited any more before anything was done, so nothing was done; the same request may come again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked, as whom, and who pays."""

    message: str = field(repr=False)
    caller: Caller
    thread_key: str | None
    key: TenantApiKey
    surface: str


def take_turn(
    asked: Asked,
    *,
    listener: WebListener,
    run_id: UUID | None = None,
    on_event: Callable[[dict[str, Any]], None] = lambda _event: None,
) -> TurnOutcome:
    """Runs the turn to its end and books it. Blocks: call it in the turn pool.

    Raises :class:`NotFound` for a reference nobody has, :class:`CallerLeft` when it stopped for want of a listener.
    """
    outcome = metered(
        lambda: _run(asked, listener, run_id=run_id, on_event=on_event), surface=asked.surface, key=asked.key
    )
    if listener.left() and not outcome.success and not outcome.tool_calls:
        raise CallerLeft("The caller left before the turn had begun to act.")
    return outcome


def _run(
    asked: Asked,
    listener: WebListener,
    *,
    run_id: UUID | None,
    on_event: Callable[[dict[str, Any]], None],
) -> TurnOutcome:
    with at_work():
        require_known(asked.caller)
    request = TurnRequest(
        message=asked.message,
        channel=CHANNEL,
        caller=asked.caller,
        thread_key=asked.thread_key,
        run_id=run_id,
    )
    return run_turn(request, on_event=on_event, listener=listener)
