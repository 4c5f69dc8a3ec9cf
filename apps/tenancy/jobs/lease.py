"""Who leads: one scheduler at a time holds a lock of Postgres (contract §13)."""

from contextlib import suppress
from typing import Any

import psycopg

from apps.foundation.database import direct_connection

LEADER = 7_310_043
# A leader cut off from the server must be forgotten there soon.
ALIVE: dict[str, Any] = {
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}


class Lease:
    """A session lock on a connection of its own; it ends with the process, however that ends."""

    def __init__(self, number: int = LEADER) -> None:
        self._number = number
        self._connection: psycopg.Connection[Any] | None = None

    def acquire(self) -> bool:
        """Tries once; False while another holds it. Raises the driver's error when Postgres is away."""
        if self._connection is None:
            # The pool would lend the session, and with it the lock, to somebody else.
            self._connection = direct_connection(**ALIVE)
        try:
            found = self._connection.execute("SELECT pg_try_advisory_lock(%s)", [self._number]).fetchone()
        except psycopg.Error:
            self.release()
            raise
        return bool(found and found[0])

    def held(self) -> bool:
        """Is the connection that carries the lock alive?"""
        if self._connection is None:
            return False
        try:
            self._connection.execute("SELECT 1")
        except psycopg.Error:
            self.release()
            return False
        return True

    def release(self) -> None:
        """Gives the lock up."""
        connection, self._connection = self._connection, None
        if connection is not None:
            # Closing gives the lock up too, but only once the server has noticed; the next leader need not wait.
            with suppress(psycopg.Error):
                connection.execute("SELECT pg_advisory_unlock_all()")
            connection.close()
