"""The api app."""

from importlib import import_module

from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "apps.api"
    label = "api"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """The document's extensions register themselves where they are defined."""
        import_module("apps.api.document")
