"""The dashboard's URL table."""

from __future__ import annotations

from django.urls import path

from apps.dashboard.ops.admin import urls as admin
from apps.dashboard.ops.health import health, ready
from apps.dashboard.public.auth import auth_urls, dev_login_is_open
from apps.dashboard.public.home import home

urlpatterns = [
    path("", home),
    path("health", health),
    path("ready", ready),
    *auth_urls(dev_login_open=dev_login_is_open()),
    *admin.urlpatterns,
]
