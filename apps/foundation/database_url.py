"""From DATABASE_URL to what Django wants, pool and server settings included."""

from __future__ import annotations

from typing import Any

from psycopg.conninfo import conninfo_to_dict

from apps.foundation.patient_connection import PatientConnection

# jit costs more than it saves on our short statements; the timeouts stop what nobody waits for any more.
SERVER_SETTINGS = "-c jit=off -c statement_timeout=60000 -c idle_in_transaction_session_timeout=60000"
# A server that vanished from the network is given up after some 25 seconds, not after the kernel's two hours.
NETWORK_SETTINGS = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}


def connection_settings(url: str, *, pool_size: int) -> dict[str, Any]:
    """Django's DATABASES entry for a Postgres URL; every libpq form is understood, sockets included."""
    parts = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    options: dict[str, Any] = {
        "pool": {
            "min_size": 0,
            "max_size": pool_size,
            "timeout": 30,
            "max_idle": 120,
            # The pool waits twice as long after each failure. Giving up soon lets the next caller start afresh, so
            # that Root is back seconds after its database, not minutes.
            "reconnect_timeout": 3,
            "connection_class": PatientConnection,
        },
        **NETWORK_SETTINGS,
        # Settings in the address come on top of ours, not in their place.
        "options": " ".join(filter(None, [SERVER_SETTINGS, parts.pop("options", "")])),
    }
    known = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
    entry: dict[str, Any] = {
        "ENGINE": "django.db.backends.postgresql",
        "CONN_MAX_AGE": 0,
        # A server restart leaves dead connections in the pool; they are replaced before anyone is handed one.
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": options,
    }
    for libpq_name, value in parts.items():
        if libpq_name in known:
            entry[known[libpq_name]] = value
        else:
            options[libpq_name] = value
    return entry
