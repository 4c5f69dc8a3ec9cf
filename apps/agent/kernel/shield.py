"""Callbacks of others must not end a run: their exceptions are logged by type and replaced."""

import logging
from collections.abc import Callable
from typing import TypeVar

logger = logging.getLogger(__name__)
T = TypeVar("T")


def shielded(call: Callable[[], T], *, otherwise: T, what: str) -> T:
    """The exception's text stays out of the log, since it may quote what people wrote."""
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - whatever it is, the turn goes on
        logger.warning("%s raised %s", what, type(error).__name__)
        return otherwise
