"""Every operation of the document, tried in bounded form; ``scripts/check-api`` tries more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = 20


@pytest.mark.serial
def test_no_operation_does_what_its_description_does_not_say() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scripts.programs.check", "--examples", str(EXAMPLES)],
        cwd=ROOT, capture_output=True, text=True, timeout=1800, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-4000:]
    assert "selected" in done.stdout
