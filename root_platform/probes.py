"""Probes of a load balancer ask by whatever name or number they know us (contract §14.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.http import HttpRequest

PROBED = {"/health", "/ready"}


class AnyHostMayProbe:
    """Answers the two health addresses whatever ``Host`` says; all others stay with ALLOWED_HOSTS."""

    async_capable = True
    sync_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self._get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Any:
        # Nothing they answer depends on the name, so the request may as well have used ours.
        if request.path_info in PROBED:
            request.META["HTTP_HOST"] = settings.ALLOWED_HOSTS[0]
        return self._get_response(request)
