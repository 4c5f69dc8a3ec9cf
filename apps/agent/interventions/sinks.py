"""Who is told of a new intervention (contract §15.2).

A sink runs inside the transaction that writes the row, so it asks for a job and calls nobody itself; if it fails,
the row stays and the other sinks are still told. Who is to be told by a job of its own is a notifier instead: see
:mod:`apps.agent.interventions.notifying`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.db import transaction

from apps.agent.models import HumanIntervention

Sink = Callable[[HumanIntervention], None]

SINKS: list[Sink] = []
_log = logging.getLogger(__name__)


def tell(row: HumanIntervention) -> None:
    """Tells every sink, each as if it were the only one."""
    for sink in SINKS:
        try:
            with transaction.atomic():
                sink(row)
        except Exception:  # noqa: BLE001 - a sink is somebody else's code
            _log.exception("a sink failed for intervention %s", row.pk)
