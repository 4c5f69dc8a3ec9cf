"""The agent app."""

from django.apps import AppConfig


class AgentConfig(AppConfig):
    name = "apps.agent"
    label = "agent"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from apps.agent import hooks, source_usage
        from apps.agent.interventions import (
            broken_sources,
            integration_sink,
            notifying,
            queue_alerts,
            sinks,
        )
        from apps.agent.record import retention
        from apps.agent.record.traced import traced_tool
        from apps.integrations.llm.trace_content import VIEWS
        from apps.knowledge import broken
        from apps.tenancy.jobs.alerts import ALERTED
        from apps.tenancy.jobs.retention import ALSO_SWEPT

        if retention.sweep not in ALSO_SWEPT:
            ALSO_SWEPT.append(retention.sweep)
        VIEWS["tool"] = traced_tool
        if source_usage.note not in hooks.AFTER_BATCH:
            hooks.AFTER_BATCH.append(source_usage.note)
        if queue_alerts.hear not in ALERTED:
            ALERTED.append(queue_alerts.hear)
        if broken_sources.hear not in broken.HEARD:
            broken.HEARD.append(broken_sources.hear)
        if notifying.ask not in sinks.SINKS:
            sinks.SINKS.append(notifying.ask)
            notifying.NOTIFIERS.append(integration_sink.INTEGRATION)
