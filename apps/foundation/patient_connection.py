"""A connection that waits for its server for a while, not for ever (contract §15.4).

Every limit of Postgres's own is kept by the server, and a server that is frozen keeps none: its kernel goes on
acknowledging what we send, so the network sees nothing wrong either. Only this side can give up.
"""

from __future__ import annotations

import logging
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.errors import _WaitTimeout

_SIGN_OF_LIFE = ""
_log = logging.getLogger(__name__)
RV = TypeVar("RV")


class Unanswered(psycopg.OperationalError):
    """The server kept silent for too long."""


class PatientConnection(psycopg.Connection[Any]):
    """Closes itself, and says so, when the server leaves a wait without an answer."""

    # Longer than the server's own limit for a statement, which stays the one that is met.
    statement_seconds = 75.0
    # For the pool's question whether a connection still lives.
    sign_of_life_seconds = 2.0
    _asking = False

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        """psycopg's one place to wait in."""
        if timeout is not None:
            return super().wait(gen, interval=interval, timeout=timeout)
        patience = self.sign_of_life_seconds if self._asking else self.statement_seconds
        try:
            return super().wait(gen, interval=interval, timeout=patience)
        except _WaitTimeout:
            # What the server still does with it is its business; this side of the connection is over.
            self.pgconn.finish()
            _log.warning("the database did not answer within %.0f seconds", patience)
            raise Unanswered("the database did not answer in time") from None

    def execute(self, query: Any, *arguments: Any, **options: Any) -> psycopg.Cursor[Any]:
        """Runs a statement. An empty one is how the pool asks for a sign of life before it lends a connection."""
        if query != _SIGN_OF_LIFE:
            return super().execute(query, *arguments, **options)
        try:
            self._asking = True
            return super().execute(query, *arguments, **options)
        except psycopg.OperationalError as error:
            if not isinstance(error, Unanswered):
                self._look_after_the_others()
            raise
        finally:
            self._asking = False

    def _look_after_the_others(self) -> None:
        """What ended this one has mostly ended all. Found out one by one, with the pool's pause between two, that
        would take longer than anybody waits."""
        pool = getattr(self, "_pool", None)
        if pool is not None:
            pool.check()
