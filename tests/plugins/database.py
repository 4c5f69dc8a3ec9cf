"""One migrated template, one clone a worker; cleaning by DELETE for tests that use threads."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connection, connections
from psycopg import sql

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE_LOCK = 7_310_042
KEPT_TABLES = {"django_migrations", "django_content_type", "auth_permission"}


def _admin() -> psycopg.Connection[Any]:
    return psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)


def _point_at(name: str) -> None:
    for alias in connections:
        connections[alias].close()
        connections[alias].close_pool()  # type: ignore[attr-defined]
        connections[alias].settings_dict["NAME"] = name
        settings.DATABASES[alias]["NAME"] = name


def _template_name() -> str:
    # Named after the migrations, so that a server which outlives a change is never cloned stale.
    digest = hashlib.sha256()
    for file in sorted(ROOT.glob("apps/*/migrations/*.py")):
        digest.update(file.read_bytes())
    return f"root_test_template_{digest.hexdigest()[:12]}"


def _make_template(admin: psycopg.Connection[Any], name: str) -> None:
    from django.core.management import call_command

    if admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
        return
    admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    _point_at(name)
    call_command("migrate", verbosity=0, interactive=False)


@pytest.fixture(scope="session")
def django_db_setup(django_db_blocker: Any) -> Iterator[None]:
    """Replaces pytest-django's: a clone of the template takes 30 ms, migrating takes seconds."""
    own = f"root_test_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}_{os.getpid()}"
    with django_db_blocker.unblock():
        with _admin() as admin:
            admin.execute("SELECT pg_advisory_lock(%s)", [TEMPLATE_LOCK])
            template = _template_name()
            _make_template(admin, template)
            _point_at(own)
            admin.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
                    sql.Identifier(own), sql.Identifier(template)
                )
            )
        yield
        _point_at("postgres")
        with _admin() as admin:
            admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(own)))


@pytest.fixture
def committed_db(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """A database whose writes are real, for tests with threads or processes; emptied afterwards."""
    with django_db_blocker.unblock():
        yield
        connections.close_all()
        _empty_tables()
        connections.close_all()


def _empty_tables() -> None:
    from apps.tenancy.models import ROOT_TENANT_ID

    tables = [name for name in connection.introspection.table_names() if name not in KEPT_TABLES]
    statements = [f'DELETE FROM "{name}"' for name in tables if name != "tenants"]
    statements.append(f"DELETE FROM tenants WHERE id <> '{ROOT_TENANT_ID}'")
    with connection.cursor() as cursor:
        # Without triggers the order of tables does not matter.
        cursor.execute("SET session_replication_role = replica")
        for statement in statements:
            cursor.execute(statement)
        cursor.execute("SET session_replication_role = DEFAULT")


@pytest.fixture
def database_url(committed_db: None) -> str:
    """The URL of this worker's own database, for processes a test starts."""
    base = os.environ["DATABASE_URL"]
    head, _, query = base.partition("?")
    return f"{head.rsplit('/', 1)[0]}/{connection.settings_dict['NAME']}" + (f"?{query}" if query else "")
