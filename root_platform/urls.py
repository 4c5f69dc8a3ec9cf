"""The URL table: each face brings its own, nothing is decided here."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("", include("apps.dashboard.urls")),
    path("", include("apps.channels.urls")),
]
