"""Where a development home keeps its data, its secrets and the file that describes it."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO


class HouseTaken(Exception):
    """Another run lives in this home; the message says what to do."""


class House:
    """``ROOT_HOME``: data of the embedded servers, logs, secrets that survive a restart, ``dev.json``."""

    def __init__(self, home: Path) -> None:
        self.home = home
        home.mkdir(parents=True, exist_ok=True)
        self.logs = home / "logs"
        self.description = home / "dev.json"
        self.environment = home / "dev.env"
        self._secrets = home / "secrets.json"
        self._claim: TextIO | None = None

    def claim(self) -> None:
        """Takes the home for this run, until the process ends in whatever way; raises :class:`HouseTaken`."""
        self._claim = (self.home / "dev.lock").open("a")
        try:
            fcntl.flock(self._claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise HouseTaken(
                f"Root already runs in {self.home}. Stop it first, or choose another home: "
                "ROOT_HOME=… PORT=… scripts/dev."
            ) from None

    def secret(self, name: str) -> str:
        """A secret of this home, made at first use."""
        kept = self.kept()
        if name not in kept:
            kept[name] = secrets.token_hex(24)
            self.keep(kept)
        return str(kept[name])

    def kept(self) -> dict[str, Any]:
        """Everything secret that this home remembers."""
        try:
            found = json.loads(self._secrets.read_text())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def keep(self, values: dict[str, Any]) -> None:
        """Remembers secrets for the next start."""
        write_private(self._secrets, json.dumps(values, indent=2) + "\n")

    def describe(self, values: dict[str, Any]) -> None:
        """Writes ``dev.json`` in one step, so that no reader sees half of it."""
        write_private(self.description, json.dumps(values, indent=2) + "\n")

    def describe_environment(self, variables: Mapping[str, str]) -> None:
        """Writes ``dev.env``, which ``scripts/manage`` reads to speak to the same servers."""
        lines = [f"{name}={shlex.quote(value)}" for name, value in sorted(variables.items())]
        write_private(self.environment, "\n".join(lines) + "\n")

    def forget_description(self) -> None:
        """Removes what describes a running Root: while these files exist, it is up."""
        self.description.unlink(missing_ok=True)
        self.environment.unlink(missing_ok=True)


def write_private(path: Path, text: str) -> None:
    """A file that only its owner can read, complete or not there."""
    draft = path.with_name(path.name + ".new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    draft.replace(path)
