"""Operations that wait for something slow: the caller's connection is watched, and no thread waits (contract §8.1)."""

from __future__ import annotations

import asyncio
from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from apps.api.operation import TenantView
from apps.channels.web.stream import caller_is_gone
from apps.foundation.database import at_work
from apps.tenancy.context import tenant_context


class AsyncTenantView(TenantView):
    """A :class:`TenantView` whose handlers are coroutines. They hold no connection; the key is read in a thread."""

    async def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:  # type: ignore[override]
        """Handles one request inside the community of its key."""
        self.args, self.kwargs = args, kwargs
        asked = self.initialize_request(request, *args, **kwargs)
        self.request = asked
        self.headers = self.default_response_headers
        try:
            await sync_to_async(self._admit)(asked)
            stop_if_gone()
            with tenant_context(self.holder.tenant):
                response = self._handler()(asked, *args, **kwargs)
                if asyncio.iscoroutine(response):
                    response = await response
        except Exception as failure:  # noqa: BLE001 - answered in the one shape, or logged there
            response = self.handle_exception(failure)
        self.response = self.finalize_response(asked, response, *args, **kwargs)
        self.response.headers.setdefault("Cache-Control", "no-store")
        return self.response

    def _handler(self) -> Any:
        method = (self.request.method or "").lower()
        known = method in self.http_method_names
        return getattr(self, method, self.http_method_not_allowed) if known else self.http_method_not_allowed

    def _admit(self, request: Request) -> None:
        # Not the parent's: a context entered in this thread would end with it.
        with at_work():
            APIView.initial(self, request, *self.args, **self.kwargs)


def stop_if_gone() -> None:
    """After a wait for a thread: raises what the wait kept to itself, if the caller has left meanwhile."""
    if caller_is_gone():
        raise asyncio.CancelledError
