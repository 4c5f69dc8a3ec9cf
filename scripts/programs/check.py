"""``scripts/check-api``: schemathesis with all its checks against a served Root (contract §12.2)."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from scripts.embedded.leash import end_with_parent
from scripts.programs.house import Served, served

EXAMPLES = 300
# The key is not written on a command line, where others could read it.
_CONFIGURATION = """
[headers]
Authorization = "Bearer {key}"

[reports]
directory = "{folder}"
"""


def main(arguments: Sequence[str]) -> int:
    """Schemathesis's exit status: 0 without a failure."""
    parser = argparse.ArgumentParser(prog="scripts/check-api", description=__doc__)
    parser.add_argument("--examples", type=int, default=EXAMPLES, help="test cases an operation")
    parser.add_argument("--only", action="append", default=[], metavar="OPERATION", help="operation ids")
    parser.add_argument("--seed", type=int, help="repeats a run")
    asked = parser.parse_args(arguments)
    surroundings = dict(os.environ)
    with served() as house, tempfile.TemporaryDirectory(prefix="root-check-api-") as folder:
        status = _run(house, asked, Path(folder), surroundings)
        if status:
            _tell_log(house)
    return status


def _run(house: Served, asked: argparse.Namespace, folder: Path, surroundings: dict[str, str]) -> int:
    configuration = folder / "schemathesis.toml"
    configuration.write_text(_CONFIGURATION.format(key=house.key, folder=folder))
    configuration.chmod(0o600)
    only = [part for name in asked.only for part in ("--include-operation-id", name)]
    seed = [] if asked.seed is None else ["--seed", str(asked.seed)]
    return subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(configuration)),
            *("run", f"{house.url}/api/v1/openapi.json", "--checks", "all", "--mode", "all"),
            *("--max-examples", str(asked.examples), "--continue-on-failure", "--request-timeout", "60"),
            *("--suppress-health-check", "all", "--workers", "2", *only, *seed),
        ],
        env={**surroundings, "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=folder,
        check=False,
        preexec_fn=end_with_parent,
    ).returncode


def _tell_log(house: Served) -> None:
    """Faults the web process noted; what a client sees of a 500 says nothing."""
    lines = (house.logs / "web.log").read_text(errors="replace").splitlines()
    faults = [number for number, line in enumerate(lines) if "Traceback" in line]
    for number in faults[:5]:
        print("\n".join(lines[max(0, number - 1) : number + 60]), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
