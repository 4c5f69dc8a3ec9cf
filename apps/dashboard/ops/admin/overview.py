"""``/admin/queues/``: how every queue stands, and how its last day went (contract §13, §14.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from apps.dashboard.ops.admin.chart import Chart, chart
from apps.dashboard.ops.admin.figures import Hours, last_day
from apps.foundation.environment import env
from apps.tenancy.jobs import registry
from apps.tenancy.jobs.metrics import FAILURES_WITHIN, Standing, standings


@dataclass(frozen=True, slots=True)
class Line:
    """One queue of the page."""

    now: Standing
    day: Chart
    lag: str
    worrying: bool


@require_safe
def queues_page(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """All queues; those past an alert's threshold stand out."""
    # A web process knows only the handlers it happens to have loaded.
    registry.autodiscover()
    days = last_day()
    lines = [_line(now, days.get(now.queue, Hours())) for now in standings()]
    lines.sort(key=lambda line: not line.now.is_handled)
    shown = {"title": "Queues", "lines": lines, "minutes": int(FAILURES_WITHIN.total_seconds() // 60)}
    return TemplateResponse(request, "ops/queues.html", {**context, **shown})


def _line(now: Standing, hours: Hours) -> Line:
    limits = env()
    worrying = (
        now.depth > limits.root_queue_alert_depth
        or now.lag_seconds > limits.root_queue_alert_lag_seconds
        or now.failures > limits.root_queue_alert_failures
    )
    return Line(now=now, day=chart(hours), lag=spoken(now.lag_seconds), worrying=worrying)


def spoken(seconds: float) -> str:
    """A duration as people say it, in its largest unit."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
