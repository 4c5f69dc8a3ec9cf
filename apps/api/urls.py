"""Everything below /api: the routes of programs, the document that describes them, and MCP."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("v1/", include("apps.api.v1.urls")),
]
