"""When a queue is past a threshold of ROOT_QUEUE_ALERT_*, and who is told (contract §13, §16).

Apps above append to ``ALERTED`` when they are ready. Whoever is told decides how often people hear of it: a queue
that stays past its threshold is reported with every tick.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from apps.foundation.environment import env
from apps.foundation.text import one_line
from apps.tenancy.jobs.metrics import FAILURES_WITHIN, Standing

log = logging.getLogger(__name__)

Cause = Literal["depth", "lag", "failures"]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueAlert:
    """One queue past one threshold."""

    queue: str
    cause: Cause
    value: int
    threshold: int
    is_handled: bool

    @property
    def sentence(self) -> str:
        """What is wrong, for people."""
        name = one_line(self.queue)
        said = {
            "depth": f"{self.value} jobs of {name} are due and not started",
            "lag": f"The oldest due job of {name} has waited for {self.value} seconds",
            "failures": f"{self.value} jobs of {name} failed for good within"
            f" {FAILURES_WITHIN.seconds // 60} minutes",
        }[self.cause]
        alone = "" if self.is_handled else " Nothing in this release works on that queue."
        return f"{said}; the threshold is {self.threshold}.{alone}"


ALERTED: list[Callable[[QueueAlert], None]] = []


def past_thresholds(standings: Iterable[Standing]) -> list[QueueAlert]:
    """An alert for each value that is greater than its threshold."""
    return [
        QueueAlert(
            queue=standing.queue,
            cause=cause,
            value=int(value),
            threshold=threshold,
            is_handled=standing.is_handled,
        )
        for standing in standings
        for cause, value, threshold in _measures(standing)
        if value > threshold
    ]


def tell(alert: QueueAlert) -> None:
    """Writes a log line and tells everybody in ``ALERTED``, each as if it were the only one."""
    log.warning("%s", alert.sentence)
    for hear in ALERTED:
        try:
            hear(alert)
        except Exception:
            log.exception("an alert about the queue %s was not heard", one_line(alert.queue))


def _measures(standing: Standing) -> list[tuple[Cause, float, int]]:
    limits = env()
    return [
        ("depth", standing.depth, limits.root_queue_alert_depth),
        ("lag", standing.lag_seconds, limits.root_queue_alert_lag_seconds),
        ("failures", standing.failures, limits.root_queue_alert_failures),
    ]
