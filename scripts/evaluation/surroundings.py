"""The database and the model an evaluation runs against: those of the environment, or stand-ins for its duration."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from scripts.embedded.postgres import embedded_postgres


@contextmanager
def root_ready() -> Iterator[None]:
    """Django on a migrated database, with somebody to embed. Without addresses: embedded ones, thrown away."""
    with ExitStack() as stack:
        os.environ.setdefault("NODE_ENV", "development")
        if not os.environ.get("DATABASE_URL"):
            os.environ["DATABASE_URL"] = stack.enter_context(_own_postgres())
        if not (os.environ.get("OPENROUTER_API_KEY") or os.environ.get("OPENROUTER_BASE_URL")):
            os.environ["OPENROUTER_BASE_URL"] = stack.enter_context(_offline_model())
            os.environ["OPENROUTER_API_KEY"] = "offline"
            os.environ["ROOT_OFFLINE_MODEL"] = "true"
        start_django()
        stack.callback(close_connections)
        yield


@contextmanager
def throwaway_tenant() -> Iterator[Any]:
    """A community of this evaluation alone; it goes with everything it holds, whatever happens."""
    from apps.tenancy.context import tenant_context
    from apps.tenancy.models import Tenant
    from apps.tenancy.tenants import create_tenant

    name = f"eval-{uuid4().hex[:12]}"
    tenant = create_tenant(name, display_name=name, agent_name="Evaluation", timezone="UTC")
    try:
        with tenant_context(tenant):
            yield tenant
    finally:
        # The database takes along what belongs to it.
        rows = Tenant.objects.filter(pk=tenant.pk)
        rows._raw_delete(rows.db)


@contextmanager
def _own_postgres() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="root-evaluation-", ignore_cleanup_errors=True) as home:
        Path(home).chmod(0o755)
        with embedded_postgres(Path(home) / "postgres", durable=False) as url:
            yield url


@contextmanager
def _offline_model() -> Iterator[str]:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from scripts.offline_model.embedder import Embedder
    from scripts.offline_model.server import OfflineServer

    server = OfflineServer(Embedder.load(), host="127.0.0.1", port=0)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def start_django() -> None:
    """Settings, apps and tables of the database that the environment names."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "root_platform.settings")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0, interactive=False)


def close_connections() -> None:
    """Before an embedded server goes."""
    from django.db import connections

    for alias in connections:
        connections[alias].close()
        connections[alias].close_pool()  # type: ignore[attr-defined]
