"""Making messages fit to send: providers refuse lone surrogates and NUL, whoever typed them."""

from __future__ import annotations

import re
from typing import Any

_UNSENDABLE = re.compile("[\x00\ud800-\udfff]")
# A model checks its own signature over these; they go back as they came.
_UNTOUCHED = frozenset({"reasoning_details"})


def sendable(value: Any) -> Any:
    """The same structure with every text made valid; what is valid already stays the very same object."""
    if isinstance(value, str):
        return _UNSENDABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {key: item if key in _UNTOUCHED else sendable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [sendable(item) for item in value]
    return value
