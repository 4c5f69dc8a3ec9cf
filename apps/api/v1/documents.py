"""The OpenAPI document and the pages people read (contract §12.2); neither needs a key."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from apps.api.backend_guide import guide
from apps.api.readable import Readable
from apps.channels.json_http import as_json
from apps.foundation.environment import env

_DAY = "public, max-age=3600"
_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
    "X-Content-Type-Options": "nosniff",
}


@require_safe
def openapi(request: HttpRequest) -> HttpResponse:
    """GET /api/v1/openapi.json — built once a process: the routes do not change while it runs."""
    return HttpResponse(_document(), content_type="application/json", headers={"Cache-Control": _DAY})


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """GET /api/v1/docs — the same for people."""
    return _page(request, "api/docs.html", {**_readable(), "origin": _origin(request)})


@require_safe
def root_int(request: HttpRequest) -> HttpResponse:
    """GET /api/v1/docs/root-int — the protocol of backends, for those who write one."""
    return _page(request, "api/root_int.html", guide())


def _page(request: HttpRequest, template: str, shown: dict[str, Any]) -> HttpResponse:
    response = render(request, template, shown)
    for name, value in _HEADERS.items():
        response.headers[name] = value
    return response


def _origin(request: HttpRequest) -> str:
    return (env().platform_base_url or request.build_absolute_uri("/")).rstrip("/")


@cache
def _readable() -> dict[str, Any]:
    document = json.loads(_document())
    return {
        "title": document["info"]["title"],
        "description": document["info"]["description"],
        "tags": Readable(document).tags(),
    }


@cache
def _document() -> bytes:
    generator = SchemaGenerator(patterns=None)  # type: ignore[no-untyped-call]
    return as_json(generator.get_schema(request=None, public=True))  # type: ignore[no-untyped-call]
