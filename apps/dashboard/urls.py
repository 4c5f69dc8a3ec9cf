"""The dashboard's URL table."""

from __future__ import annotations

from django.urls import path

from apps.dashboard.ops.health import health, ready
from apps.dashboard.public.home import home

urlpatterns = [
    path("", home),
    path("health", health),
    path("ready", ready),
]
