"""Whoever runs the offline model tells nobody, and their home directory stays as it was."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

EMBED = "from scripts.offline_model.embedder import Embedder; Embedder.load().native('hello')"


def test_nothing_is_kept_for_a_report(tmp_path: Path) -> None:
    # A build server's own variable would switch reports off as well.
    kept = {name: value for name, value in os.environ.items() if name not in {"CI", "ORT_DISABLE_TELEMETRY"}}
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / ".cache")}
    subprocess.run([sys.executable, "-c", EMBED], check=True, env={**kept, **home})
    assert list(tmp_path.iterdir()) == []
