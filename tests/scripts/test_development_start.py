"""scripts/dev on a machine that does not let it: one sentence each, and nothing started."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.development.__main__ import port_refused

ROOT = Path(__file__).resolve().parents[2]


def test_a_port_of_the_system_is_told_from_one_that_is_taken() -> None:
    kept = port_refused("80", OSError(errno.EACCES, "denied"))
    taken = port_refused("4000", OSError(errno.EADDRINUSE, "in use"))
    assert "Port 80 is kept for the system" in kept and "Port 4000 is taken" in taken


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "http"),
        ("PORT", "0"),
        ("PORT", "٤٠٠٠"),
        ("ROOT_HOME", "/dev/null"),
        ("ROOT_HOME", "/dev/null/x"),
    ],
)
def test_what_it_cannot_use_is_named(name: str, value: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scripts.development"],
        cwd=ROOT,
        env={**os.environ, "ROOT_HOME": str(tmp_path), name: value},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert done.stderr.startswith(name)
