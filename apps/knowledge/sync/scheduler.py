"""Which sources are due, each minute (contract §11.2, §13)."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Final

from django.db import transaction

from apps.foundation.broker import BrokerDown
from apps.foundation.clock import now
from apps.foundation.errors import RootError
from apps.knowledge.models import KnowledgeSource, KnowledgeSyncRun
from apps.knowledge.source_fields import clamped_interval
from apps.knowledge.sync import runs
from apps.knowledge.sync.requests import request_sync

log = logging.getLogger(__name__)

LEASE: Final = timedelta(minutes=5)
AT_ONCE: Final = 200


def enqueue_due() -> int:
    """Asks for a sync of each due source of the current tenant; gives how many.

    A source is leased first: when asking fails, or this process dies, it is due again in five minutes.
    """
    runs.fail_abandoned(older_than=runs.ABANDONED_SCHEDULER)
    return sum(_ask(source) for source in _leased())


def _leased() -> list[KnowledgeSource]:
    moment = now()
    due = KnowledgeSource.objects.filter(
        status=KnowledgeSource.Status.ACTIVE,
        schedule_interval_minutes__isnull=False,
        next_sync_at__lte=moment,
    )
    with transaction.atomic():
        rows = list(due.order_by("next_sync_at").select_for_update(skip_locked=True, no_key=True)[:AT_ONCE])
        KnowledgeSource.objects.filter(pk__in=[row.pk for row in rows]).update(next_sync_at=moment + LEASE)
    return rows


def _ask(source: KnowledgeSource) -> bool:
    try:
        asked = not _is_busy(source)
        if asked:
            request_sync(source.pk, trigger=KnowledgeSyncRun.Trigger.SCHEDULE)
    except BrokerDown:
        log.warning("the queue server is away; source %s is asked for again later", source.pk)
        return False
    except RootError as error:
        log.info("source %s was not asked for: %s", source.pk, error.code)
        return False
    interval = timedelta(minutes=clamped_interval(source.schedule_interval_minutes or 0))
    KnowledgeSource.objects.filter(pk=source.pk, schedule_interval_minutes__isnull=False).update(
        next_sync_at=now() + interval
    )
    return asked


def _is_busy(source: KnowledgeSource) -> bool:
    """Runs already: another one would only be refused. What was abandoned keeps nobody waiting."""
    recent = now() - runs.ABANDONED
    return KnowledgeSyncRun.objects.filter(source=source, status="running", started_at__gte=recent).exists()
