"""The channels app."""

from django.apps import AppConfig


class ChannelsConfig(AppConfig):
    name = "apps.channels"
    label = "channels"
    default_auto_field = "django.db.models.BigAutoField"
