"""The one error of the guarded HTTP client, with its verdict (contract §7.2)."""

from __future__ import annotations

from typing import Literal

from apps.foundation.errors import Unavailable

FailureKind = Literal["refused", "network", "timeout", "too_large", "bad_response"]


class HttpFailure(Unavailable):
    """A call that brought no usable reply. ``retryable`` is true only if trying again at once may help.

    ``sent`` is false only if the request certainly never reached the other side.
    """

    code = "http_failure"

    def __init__(
        self, kind: FailureKind, message: str, *, retryable: bool = False, sent: bool = True
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable
        self.sent = sent
