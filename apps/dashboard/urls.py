"""The dashboard's URL table."""

from __future__ import annotations

from django.urls import path

from apps.dashboard.ops.admin import urls as admin
from apps.dashboard.ops.health import health, ready
from apps.dashboard.public.auth import auth_urls, dev_login_is_open
from apps.dashboard.public.home import home
from apps.dashboard.public.kb import page as kb_page

urlpatterns = [
    path("", home),
    path("kb/<slug:slug>/<slug:public_id>", kb_page, name="kb-page"),
    path("health", health),
    path("ready", ready),
    *auth_urls(dev_login_open=dev_login_is_open()),
    *admin.urlpatterns,
]
