"""The dashboard app."""

from django.apps import AppConfig


class DashboardConfig(AppConfig):
    name = "apps.dashboard"
    label = "dashboard"
    default_auto_field = "django.db.models.BigAutoField"
