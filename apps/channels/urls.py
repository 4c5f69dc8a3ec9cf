"""The channels' URL table; the development harness is not in it in production (contract §8.4, §8.5)."""

from __future__ import annotations

from django.urls import URLPattern

from apps.channels.dev import urls as dev
from apps.channels.web import urls as web
from apps.foundation.environment import env


def channel_urls(*, production: bool) -> list[URLPattern]:
    """Every channel address of this deployment."""
    return [*web.urlpatterns, *([] if production else dev.urlpatterns)]


urlpatterns = channel_urls(production=env().is_production)
