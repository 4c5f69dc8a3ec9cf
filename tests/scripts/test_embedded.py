"""The embedded servers: any path, any account, and nothing that outlives its block."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
import redis

from scripts.embedded.postgres import embedded_postgres
from scripts.embedded.valkey import answers, embedded_valkey, is_running

pytestmark = pytest.mark.serial
KILLED = """
import os, pathlib, sys
from scripts.embedded.postgres import embedded_postgres
with embedded_postgres(pathlib.Path(sys.argv[1]), durable=False):
    os.kill(os.getpid(), 9)
"""


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("a home with spaces")
    for folder in (path, *path.parents[:3]):
        folder.chmod(0o755)
    return path


def test_both_servers_run_below_a_path_with_spaces(home: Path) -> None:
    with (
        embedded_postgres(home / "postgres", durable=False) as database,
        embedded_valkey(home / "valkey") as broker,
    ):
        with psycopg.connect(database) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        assert redis.Redis.from_url(broker).ping()
    assert not (home / "postgres" / "postmaster.pid").exists()


def test_a_server_whose_user_was_killed_ends_with_the_next_one(home: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(home / "postgres")], check=False)
    server = int((home / "postgres" / "postmaster.pid").read_text().splitlines()[0])
    os.kill(server, 0)
    with embedded_postgres(home / "postgres", durable=False):
        pass
    assert not (home / "postgres" / "postmaster.pid").exists()


def test_a_valkey_that_pauses_still_runs(home: Path) -> None:
    with embedded_valkey(home / "valkey") as broker:
        address = broker.removeprefix("unix://")
        with redis.Redis.from_url(broker) as client:
            server = client.info("server")["process_id"]
        os.kill(server, signal.SIGSTOP)
        try:
            assert is_running(address)
            assert not answers(address)
        finally:
            os.kill(server, signal.SIGCONT)
    assert not is_running(address)
