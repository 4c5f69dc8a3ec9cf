"""The OpenAPI document and the pages people read (contract §12.2); neither needs a key."""

from __future__ import annotations

from functools import cache

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from apps.channels.json_http import as_json

_DAY = "public, max-age=3600"


@require_safe
def openapi(request: HttpRequest) -> HttpResponse:
    """GET /api/v1/openapi.json — built once a process: the routes do not change while it runs."""
    return HttpResponse(_document(), content_type="application/json", headers={"Cache-Control": _DAY})


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """GET /api/v1/docs — the same for people."""
    return render(request, "api/docs.html")


@cache
def _document() -> bytes:
    generator = SchemaGenerator(patterns=None)  # type: ignore[no-untyped-call]
    return as_json(generator.get_schema(request=None, public=True))  # type: ignore[no-untyped-call]
