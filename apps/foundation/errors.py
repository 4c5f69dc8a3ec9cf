"""The errors Root raises on purpose; each carries a code for machines and a sentence for people."""

from __future__ import annotations


class RootError(Exception):
    """Base of all intended errors. ``message`` is safe to show: it names no secret and no internals."""

    code: str = "error"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class BadInput(RootError):
    """What was sent cannot be used; the sentence says what to change."""

    code = "bad_input"


class NotFound(RootError):
    """No such thing here. Another tenant's thing answers the same."""

    code = "not_found"


class Unauthorized(RootError):
    """No credentials, or none that we know."""

    code = "unauthorized"


class Forbidden(RootError):
    """Known credentials, but not for this."""

    code = "forbidden"


class Conflict(RootError):
    """The state of the thing does not allow this now."""

    code = "conflict"


class Unavailable(RootError):
    """Something we depend on does not answer; trying again later is right."""

    code = "unavailable"
