"""``scripts/rootint_check``: a report for people, one for machines, and an exit status; without a database."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.backend import FakeBackend
from tests.scripts.reference_backend.house import ROOT, SECRET, running


def check(*arguments: str, secret: str | None = None) -> subprocess.CompletedProcess[str]:
    surroundings = {**os.environ, "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing"}
    surroundings.pop("REDIS_URL", None)
    if secret is not None:
        surroundings["ROOT_SIGNING_SECRET"] = secret
    return subprocess.run(
        [sys.executable, "-m", "scripts.conformance", *arguments],
        cwd=ROOT, env=surroundings, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def test_a_good_backend_gets_a_dated_report_in_both_forms(tmp_path: Path) -> None:
    with running(tmp_path / "port") as house:
        done = check(f"http://127.0.0.1:{house.port}", "--json", str(tmp_path / "r.json"), secret=SECRET)

    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["passed"] is True
    assert report["counts"]["failed"] == 0
    assert report["checked_at"][:10] in done.stdout
    assert "The backend conforms." in done.stdout
    assert SECRET not in done.stdout + done.stderr + json.dumps(report)


def test_a_backend_that_answers_nothing_useful_fails() -> None:
    with FakeBackend(secret=None) as backend:
        done = check(backend.url, "--secret", "whatever")

    assert done.returncode == 1
    assert "FAIL  manifest.fetched" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_backend_that_is_not_there_fails() -> None:
    done = check("http://127.0.0.1:1", "--secret", "whatever")

    assert done.returncode == 1
    assert "FAIL  signature.good" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [["http://127.0.0.1:1"], ["ftp://x", "--secret", "s"], ["http://x", "--secret", "s", "--path", "nothing=/x"],
     ["http://x", "--secret", "s", "--call", "/nowhere"]],
)  # fmt: skip
def test_a_question_without_sense_is_refused_in_a_sentence(arguments: list[str]) -> None:
    done = check(*arguments)

    assert done.returncode == 2
    assert "Traceback" not in done.stderr
