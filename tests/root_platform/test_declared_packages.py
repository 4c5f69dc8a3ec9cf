"""What the code imports, the project declares: nothing works only because something else happens to need it."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Not imported by name: a server started as a command, an app named in the settings.
NAMED_ELSEWHERE = {"uvicorn", "django-celery-beat"}


def declared() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {re.split(r"[\[<>=]", line)[0].strip().lower() for line in project["dependencies"]}


def imported() -> Iterator[str]:
    for folder in ("apps", "root_platform"):
        for file in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Import):
                    yield from (alias.name.partition(".")[0] for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    yield node.module.partition(".")[0]


def test_every_import_is_declared_and_every_declaration_is_used() -> None:
    ours = {*sys.stdlib_module_names, "apps", "root_platform", "opik"}
    found = packages_distributions()
    used = {found[name][0].lower().replace("_", "-") for name in set(imported()) - ours}
    assert used - declared() == set()
    assert declared() - used - NAMED_ELSEWHERE == set()
