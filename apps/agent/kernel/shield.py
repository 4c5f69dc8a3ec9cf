"""Callbacks of others must not end a run: their exceptions are logged by type and replaced."""

import logging
from collections.abc import Callable
from typing import TypeVar

logger = logging.getLogger(__name__)
T = TypeVar("T")


def shielded(
    call: Callable[[], T], *, otherwise: T, what: str, against: type[BaseException] = Exception
) -> T:
    """The exception's text stays out of the log, since it may quote what people wrote."""
    try:
        return call()
    except against as error:
        logger.warning("%s raised %s", what, type(error).__name__)
        return otherwise
