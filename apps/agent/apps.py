"""The agent app."""

from django.apps import AppConfig


class AgentConfig(AppConfig):
    name = "apps.agent"
    label = "agent"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from apps.agent.record import retention
        from apps.tenancy.jobs.retention import ALSO_SWEPT

        if retention.sweep not in ALSO_SWEPT:
            ALSO_SWEPT.append(retention.sweep)
