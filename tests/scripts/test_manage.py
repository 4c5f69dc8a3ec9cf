"""The command line as a person types it, through ``manage.py`` itself."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_settings_of_a_community_are_not_taken_for_the_name_of_a_settings_module() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "tenant", "create", "pier", "--settings", "{"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("CommandError: --settings is not JSON")
