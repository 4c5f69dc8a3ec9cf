"""A malformed variable ends every process of ours with one sentence on stderr, naming it, and a code that says so."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.root_platform.processes import PATIENCE, ROOT

WEB = ("-m", "uvicorn", "root_platform.asgi:application", "--port", "0", "--no-access-log")
WORKERS = ("-m", "root_platform.workers")
COMMAND = ("manage.py", "check")
DEVELOPMENT = ("-m", "scripts.development")

# One of each kind of variable, spread over the processes.
MALFORMED = [
    (WEB, "PORT", "http"),
    (COMMAND, "DATABASE_URL", "postgresql://u:hunter2@h:port/x"),
    (WORKERS, "REDIS_URL", "redis://:hunter2@h/first"),
    (WEB, "NODE_ENV", "staging"),
    (COMMAND, "ROOT_RUN_WORKERS", "perhaps"),
    (WEB, "OPENROUTER_API_KEY", "sk hunter2\nX-Evil: 1"),
    (WORKERS, "OPENROUTER_BASE_URL", "https://ada:hunter2@llm.example"),
    (COMMAND, "OPENROUTER_PROVIDER_PREFERENCES", "{"),
    (COMMAND, "LLM_TEMPERATURE", "warm"),
    (WORKERS, "LLM_MODEL_DEFAULT", "google / gemini"),
    (WEB, "PLATFORM_BASE_URL", "https://root.example/app"),
    (COMMAND, "PLATFORM_EMAIL_DOMAIN", "ada@mail.example"),
    (WEB, "SESSION_COOKIE_SECRET", "hunter2"),
    (WORKERS, "ROOT_QUEUE_ALERT_DEPTH", "many"),
    (WEB, "ROOT_RUN_WORKER", "true"),
]


def ended(command: tuple[str, ...], **variables: str) -> subprocess.CompletedProcess[str]:
    """A process that is expected to end by itself."""
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env={**os.environ, "NODE_ENV": "production", **variables},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize(("command", "name", "value"), MALFORMED)
def test_one_sentence_and_a_code(command: tuple[str, ...], name: str, value: str) -> None:
    done = ended(command, **{name: value})
    assert done.returncode != 0
    lines = (done.stdout + done.stderr).splitlines()
    assert len(lines) == 1 and lines[0].startswith(name) and "hunter2" not in lines[0], lines


def test_production_serves_nobody_without_its_secret_but_commands_work() -> None:
    served = ended(WEB)
    assert (served.returncode, len(served.stderr.splitlines())) == (1, 1)
    assert "SESSION_COOKIE_SECRET must be set" in served.stderr
    assert ended(COMMAND).returncode == 0
