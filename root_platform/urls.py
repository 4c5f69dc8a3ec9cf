"""The URL table: each face brings its own, nothing is decided here."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("", include("apps.dashboard.urls")),
    path("", include("apps.channels.urls")),
    path("api/", include("apps.api.urls")),
]

handler400 = "root_platform.error_answers.bad_request"
handler403 = "root_platform.error_answers.forbidden"
handler404 = "root_platform.error_answers.not_found"
handler500 = "root_platform.error_answers.server_error"
