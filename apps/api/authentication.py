"""Who calls: a bearer key, which selects the community and its environment (contract §12.1)."""

from __future__ import annotations

from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from apps.foundation.errors import Unauthorized
from apps.tenancy.api_keys import KeyHolder, authenticate_key

_MISSING = "Send your key as “Authorization: Bearer rpk_…”."


class Program:
    """The caller of a request: a program, nobody who signs in."""

    is_authenticated = True
    is_anonymous = False

    def __init__(self, holder: KeyHolder) -> None:
        self.holder = holder


class BearerKey(BaseAuthentication):
    """Refuses every request without a known key (401), and keys that no longer open anything (403)."""

    def authenticate(self, request: Request) -> tuple[Program, KeyHolder]:
        """The caller; raises :class:`Unauthorized` or :class:`Forbidden`."""
        holder = key_holder(request._request)
        return Program(holder), holder

    def authenticate_header(self, request: Request) -> str:
        """What a 401 asks for."""
        return "Bearer"


def key_holder(request: HttpRequest) -> KeyHolder:
    """Who the bearer key of a request speaks for; raises :class:`Unauthorized` or :class:`Forbidden`."""
    scheme, _, raw = request.headers.get("Authorization", "").strip().partition(" ")
    if scheme.lower() != "bearer" or not raw.strip():
        raise Unauthorized(_MISSING)
    return authenticate_key(raw.strip())
