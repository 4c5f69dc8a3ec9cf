"""``Idempotency-Key``: a program that heard no answer asks again, and nothing happens twice (contract §12.2)."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.http import HttpRequest
from drf_spectacular.utils import OpenApiParameter

from apps.api.operation import Answered
from apps.foundation.errors import BadInput, RootError
from apps.tenancy import idempotency
from apps.tenancy.idempotency import Claim, Earlier

HEADER = "Idempotency-Key"
PARAMETER = OpenApiParameter(
    name=HEADER,
    type={"type": "string", "minLength": 1, "maxLength": idempotency.KEY_LIMIT, "pattern": "^[!-~]+$"},
    location=OpenApiParameter.HEADER,
    description="Any string of your own. The same request under the same key within a day is carried out once.",
)
_VISIBLE = re.compile(r"[!-~]+")
REPLAYED = {"Idempotency-Replayed": "true"}


def once(
    request: HttpRequest,
    *,
    operation: str,
    content: bytes,
    work: Callable[[Claim | None], Answered],
) -> Answered:
    """Carries ``work`` out, or answers what the same request was answered before.

    ``content`` is all that makes it this request. ``work`` gets the claim, whose id stays the same when a process
    died half way; None when the caller sent no key. A refusal that changed nothing frees the key.
    """
    held = claimed(request, operation=operation, content=content)
    if isinstance(held, Earlier):
        return replayed(held)
    return carried_out(held, work)


def claimed(request: HttpRequest, *, operation: str, content: bytes) -> Claim | Earlier | None:
    """The right to carry the request out, or what it was answered before; None when the caller sent no key."""
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if not _VISIBLE.fullmatch(key):
        raise BadInput(f"{HEADER}: 1 to {idempotency.KEY_LIMIT} visible ASCII characters, without blanks.")
    return idempotency.claim(operation=operation, key=key, content=content)


def replayed(earlier: Earlier) -> Answered:
    """The answer of then, marked."""
    return Answered(status=earlier.status, body=earlier.answer, headers=REPLAYED)


def carried_out(held: Claim | None, work: Callable[[Claim | None], Answered]) -> Answered:
    """Does the work and keeps its answer; a refusal frees the key."""
    if held is None:
        return work(None)
    try:
        answer = work(held)
    except RootError:
        idempotency.released(held)
        raise
    idempotency.answered(held, status=answer.status, answer=answer.data())
    return answer
