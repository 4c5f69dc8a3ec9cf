"""The command line as a person types it, through ``manage.py`` itself."""

import os
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


def test_files_are_named_from_where_the_caller_stands(tmp_path: Path) -> None:
    (tmp_path / "dev.env").write_text("DATABASE_URL=postgresql://nowhere/x\n")
    (tmp_path / "words.json").write_text("{ no JSON")
    done = subprocess.run(
        [ROOT / "scripts" / "manage", "playbook", "import", "words.json", "--check"],
        cwd=tmp_path,
        env={**os.environ, "ROOT_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "JSON" in done.stderr and "No such file" not in done.stderr
