"""Runs a command beside an embedded Postgres that is thrown away: ``python -m scripts.embedded -- COMMAND``."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.embedded.postgres import embedded_postgres


def main(command: list[str]) -> int:
    """Exits with the command's status."""
    if os.environ.get("DATABASE_URL"):
        return subprocess.run(command, check=False).returncode
    with tempfile.TemporaryDirectory(prefix="root-", ignore_cleanup_errors=True) as home:
        Path(home).chmod(0o755)
        with embedded_postgres(Path(home) / "postgres", durable=False) as url:
            return subprocess.run(command, check=False, env=os.environ | {"DATABASE_URL": url}).returncode


if __name__ == "__main__":
    sys.exit(main([word for word in sys.argv[1:] if word != "--"]))
