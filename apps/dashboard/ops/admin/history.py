"""What operators did: in a row's history, and in the log, which outlives row and operator (contract §14.1)."""

from __future__ import annotations

import logging

from django.contrib.admin.models import CHANGE, LogEntry
from django.db import models
from django.http import HttpRequest

log = logging.getLogger("root.operators")


def write_down(request: HttpRequest, row: models.Model, *, did: str) -> None:
    """A line in the row's history."""
    assert request.user.pk is not None
    LogEntry.objects.log_actions(
        user_id=request.user.pk,
        queryset=[row],
        action_flag=CHANGE,
        change_message=did,
        single_object=True,
    )


def say(request: HttpRequest, row: models.Model, did: str) -> None:
    """A line in the log."""
    tenant = getattr(row, "tenant", None)
    whose = "" if tenant is None else f" of {tenant}"
    log.info("operator %s, %s %s%s: %s", request.user, row._meta.model_name, row.pk, whose, did)
