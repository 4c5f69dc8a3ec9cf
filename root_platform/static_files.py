"""Our own static files, without leaving the task a request runs in (contract §8.4).

WhiteNoise knows no async: Django then runs the whole rest of a request from a thread, in a task of its own. A caller
who leaves meanwhile cancels the wrong one, and a turn goes on for nobody.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise for requests of either kind."""

    async_capable = True
    sync_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any], **settings: Any) -> None:
        super().__init__(get_response, **settings)
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if iscoroutinefunction(self):
            return self._answer(request)
        answer: HttpResponseBase = super().__call__(request)
        return answer

    async def _answer(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(self.static_prefix):
            served = await sync_to_async(self._file)(request)
            if served is not None:
                return served
        answer: HttpResponseBase = await self.get_response(request)
        return answer

    def _file(self, request: HttpRequest) -> HttpResponseBase | None:
        path = request.path_info
        found = self.find_file(path) if self.autorefresh else self.files.get(path)
        return None if found is None else self.serve(found, request)
