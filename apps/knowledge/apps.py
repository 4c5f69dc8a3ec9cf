"""The knowledge app."""

from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    name = "apps.knowledge"
    label = "knowledge"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from apps.knowledge import link_retention, trash
        from apps.knowledge.sync import run_retention
        from apps.tenancy.jobs.retention import ALSO_SWEPT

        sweeps = (trash.sweep, run_retention.sweep, link_retention.sweep)
        ALSO_SWEPT.extend(sweep for sweep in sweeps if sweep not in ALSO_SWEPT)
