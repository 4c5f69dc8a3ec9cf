"""The routes of version 1 (contract §12.2)."""

from __future__ import annotations

from django.urls import path

from apps.api.v1 import (
    conversations,
    documents,
    identity,
    integrations,
    interventions,
    me,
    mentions,
    principals,
)

urlpatterns = [
    path("openapi.json", documents.openapi, name="openapi"),
    path("docs", documents.docs, name="api-docs"),
    path("docs/root-int", documents.root_int, name="root-int"),
    path("me", me.Me.as_view()),
    path("principals/sync", principals.Sync.as_view()),
    path("principals/state", principals.State.as_view()),
    path("principals/memory/reset", principals.Reset.as_view()),
    path("principals/preferences/<uuid:preference_id>/deactivate", principals.Deactivation.as_view()),
    path("conversations", conversations.Conversations.as_view()),
    path("conversations/analytics", conversations.Analytics.as_view()),
    path("interventions", interventions.Interventions.as_view()),
    path("mentions/leaderboard", mentions.Leaderboard.as_view()),
    path("mentions/counts", mentions.Counts.as_view()),
    path("mentions/details", mentions.Details.as_view()),
    path("identity/resolve", identity.Resolve.as_view()),
    path("integrations", integrations.Integrations.as_view()),
    path("integrations/<str:name>", integrations.OneIntegration.as_view()),
    path("integrations/<str:name>/refresh", integrations.Refresh.as_view()),
    path("integrations/<str:name>/rotate-secret", integrations.Rotation.as_view()),
]
