"""Everything below /api: the routes of programs, the document that describes them, and MCP."""

from __future__ import annotations

from django.urls import include, path

from apps.api.mcp.door import door

urlpatterns = [
    path("v1/", include("apps.api.v1.urls")),
    # Clients are given either spelling; a redirect would lose their message.
    path("mcp", door),
    path("mcp/", door),
]
