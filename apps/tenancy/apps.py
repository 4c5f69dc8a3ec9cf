"""The tenancy app."""

from django.apps import AppConfig


class TenancyConfig(AppConfig):
    name = "apps.tenancy"
    label = "tenancy"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Requests that were kept for a day go with the other sweeps."""
        from apps.tenancy import idempotency
        from apps.tenancy.jobs.retention import ALSO_SWEPT

        if idempotency.sweep not in ALSO_SWEPT:
            ALSO_SWEPT.append(idempotency.sweep)
