"""Who makes a request, as Django's own pages ask it: an operator, or nobody (contract §14.1)."""

from __future__ import annotations

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from apps.tenancy.models import Operator
from apps.tenancy.sessions import signed_in


class SignedInMiddleware(AuthenticationMiddleware):
    """Sets ``request.user``. The lists are asked once a request, and only where somebody wants to know."""

    def process_request(self, request: HttpRequest) -> None:
        request.user = SimpleLazyObject(lambda: operator_of(request) or AnonymousUser())  # type: ignore[assignment]


def operator_of(request: HttpRequest) -> Operator | None:
    """The operator who is signed in and still listed."""
    known = signed_in(request)
    return None if known is None else known.operator
