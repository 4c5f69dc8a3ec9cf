"""The routes of version 1 (contract §12.2)."""

from __future__ import annotations

from django.urls import path

from apps.api.v1 import (
    agent,
    conversations,
    documents,
    identity,
    integrations,
    interventions,
    me,
    mentions,
    messages,
    principals,
    slack_contributions,
    tools,
)
from apps.api.v1.kb import links, pages, push, search, sources

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
    path("agent/turns", agent.Turns.as_view()),
    path("tools", tools.Tools.as_view()),
    path("tools/<str:name>/execute", tools.ToolExecution.as_view()),
    path("kb/pages", pages.Pages.as_view()),
    path("kb/pages/<str:slug>", pages.OnePage.as_view()),
    path("kb/sources", sources.Sources.as_view()),
    path("kb/sources/<uuid:source_id>", sources.OneSource.as_view()),
    path("kb/sources/<uuid:source_id>/runs", sources.Runs.as_view()),
    path("kb/sources/<uuid:source_id>/sync", sources.Sync.as_view()),
    path("kb/sync", push.Push.as_view()),
    path("kb/search", search.Search.as_view()),
    path("kb/link", links.Link.as_view()),
    path("slack/contributions", slack_contributions.Contributions.as_view()),
    path("slack/contributions/<uuid:contribution_id>", slack_contributions.OneContribution.as_view()),
    path("slack/contributions/<uuid:contribution_id>/refresh", slack_contributions.Refresh.as_view()),
    path("messages", messages.Messages.as_view()),
]
