"""The knowledge app."""

from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    name = "apps.knowledge"
    label = "knowledge"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from apps.knowledge import trash
        from apps.knowledge.sync import run_retention
        from apps.tenancy.jobs.retention import ALSO_SWEPT

        ALSO_SWEPT.extend(sweep for sweep in (trash.sweep, run_retention.sweep) if sweep not in ALSO_SWEPT)
