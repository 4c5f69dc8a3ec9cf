"""The routes of version 1 (contract §12.2)."""

from __future__ import annotations

from django.urls import path

from apps.api.v1 import agent, documents, me, tools

urlpatterns = [
    path("openapi.json", documents.openapi),
    path("docs", documents.docs),
    path("me", me.Me.as_view()),
    path("agent/turns", agent.Turns.as_view()),
    path("tools", tools.Tools.as_view()),
    path("tools/<str:name>/execute", tools.ToolExecution.as_view()),
]
