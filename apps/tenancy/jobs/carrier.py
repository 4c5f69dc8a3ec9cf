"""How a worker hears of due rows: a nudge, or this very process where there is no Redis (contract §13)."""

import logging
import time

from apps.foundation import broker, queues
from apps.tenancy.jobs import inline

log = logging.getLogger(__name__)

QUIET_SECONDS = 2.0
_quiet_until = 0.0


def nudge(row: queues.Queue, *, wanted: int = 1) -> None:
    """Tells a worker of the queue; raises :class:`broker.BrokerDown`."""
    broker.nudge(row.name, wanted=wanted, limit=queues.width(row))


def wake(row: queues.Queue, *, wanted: int = 1) -> None:
    """The same, but a Redis that is down is no failure: the row waits and the dispatcher tries again."""
    global _quiet_until  # noqa: PLW0603 -- one breaker a process
    if not broker.configured():
        inline.wake()
        return
    if time.monotonic() < _quiet_until:
        return
    try:
        nudge(row, wanted=wanted)
    except broker.BrokerDown:
        _quiet_until = time.monotonic() + QUIET_SECONDS
        log.warning("queue server unreachable, rows of %s wait", row.name)
