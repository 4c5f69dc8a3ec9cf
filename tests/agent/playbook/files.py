"""Running the command on files."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from django.core.management import call_command


def exported(tmp_path: Path, *options: str) -> dict[str, Any]:
    """What ``playbook export`` writes, read back."""
    return dict(json.loads(exported_text(tmp_path, *options)))


def exported_text(tmp_path: Path, *options: str) -> str:
    file = tmp_path / "out.json"
    call_command("playbook", "export", *options, str(file), stdout=io.StringIO())
    return file.read_text(encoding="utf-8")


def imported(tmp_path: Path, playbook: Any, *options: str) -> str:
    """What ``playbook import`` says about a file with this in it; text and bytes are written as they are."""
    file, said = tmp_path / "in.json", io.StringIO()
    if isinstance(playbook, bytes):
        file.write_bytes(playbook)
    else:
        file.write_text(playbook if isinstance(playbook, str) else json.dumps(playbook), encoding="utf-8")
    call_command("playbook", "import", *options, str(file), stdout=said, stderr=said)
    return said.getvalue()
