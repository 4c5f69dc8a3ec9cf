"""Who hears that a source no longer syncs by itself (contract §11.2, §2.4).

Apps above append to ``HEARD`` when they are ready. It is called in the transaction that changes the source.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.db import transaction

from apps.knowledge.models import KnowledgeSource

log = logging.getLogger(__name__)

HEARD: list[Callable[[KnowledgeSource], None]] = []


def tell(source: KnowledgeSource) -> None:
    """Tells everybody, each as if it were the only one."""
    for hear in HEARD:
        try:
            with transaction.atomic():
                hear(source)
        except Exception:
            log.exception("nobody heard that a source went into error")
