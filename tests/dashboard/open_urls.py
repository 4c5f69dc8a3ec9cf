"""The whole URL table as a development installation with AUTH_DEV_BYPASS=true has it."""

from django.urls import include, path

from apps.dashboard.public.auth import auth_urls
from root_platform.urls import handler400, handler403, handler404, handler500

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]

urlpatterns = [
    *auth_urls(dev_login_open=True),
    path("", include("root_platform.urls")),
]
