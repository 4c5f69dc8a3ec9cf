"""The tick of `queue-metrics`: once a minute it tells of queues past a threshold (contract §13)."""

from apps.tenancy.jobs import alerts, metrics, registry
from apps.tenancy.jobs.job import Job

QUEUE_METRICS = "queue-metrics"


@registry.handler(QUEUE_METRICS)
def watch_queues(job: Job) -> None:
    """Counts and alerts. Nothing is stored: whoever shows numbers counts them afresh."""
    for alert in alerts.past_thresholds(metrics.standings()):
        alerts.tell(alert)
