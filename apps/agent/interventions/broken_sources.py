"""A source that no longer syncs by itself becomes a matter for its community's administrators (contract §2.4)."""

from __future__ import annotations

from apps.agent.interventions.system_failures import SystemFailure, report
from apps.foundation.text import one_line
from apps.knowledge.models import KnowledgeSource


def hear(source: KnowledgeSource) -> None:
    """Opens an intervention in the source's own community."""
    name = one_line(source.name, limit=100)
    failure = SystemFailure(
        cause=f"knowledge-source:{source.pk}",
        title=f"The source {name} no longer syncs",
        explanation=(
            f"It failed {source.consecutive_failures} times in a row, so its schedule rests; the pages it brought"
            f" stay as they were. The last reason: {one_line(source.last_error, limit=500)} A sync by hand that"
            " succeeds starts the schedule again."
        ),
    )
    report(failure, channel="api", trace_id="")
