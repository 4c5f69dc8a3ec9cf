"""Is Root up, and can it work? What anonymous callers may know (contract §14.3)."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from apps.foundation import database
from apps.foundation.environment import env
from apps.tenancy.jobs.heartbeat import worker_seen


def _answer(*, up: bool) -> JsonResponse:
    response = JsonResponse({"status": "ok" if up else "down"}, status=200 if up else 503)
    response["Cache-Control"] = "no-store"
    return response


def jobs_are_worked_off() -> bool:
    """Was a worker seen lately? Without Redis jobs run where they are made, so there is none to see."""
    return env().redis_url is None or worker_seen()


@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """``GET /health``: 200 while the process can answer from its database, else 503."""
    return _answer(up=database.answers())


@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """``GET /ready``: as health, and whatever works off the queues was seen lately."""
    return _answer(up=database.answers() and jobs_are_worked_off())
