"""``scripts/dev``: Postgres, Valkey, a model, a backend, the demo community, web and worker; until Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import urlencode

from apps.foundation.environment import Environment
from scripts.development.house import House, HouseTaken
from scripts.development.processes import ChildDied, Children
from scripts.embedded import postgres, valkey

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "scripts" / "demo"
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stop(Exception):
    """Somebody asked for the end."""


def main() -> int:
    """Exit status 0 after a requested stop, 1 when something would not start or died."""
    for number in STOPPING:
        signal.signal(number, _stop)
    try:
        house = House(Path(os.environ.get("ROOT_HOME") or ROOT / ".local").resolve())
        house.claim()
        children = Children(house.logs)
    except HouseTaken as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"ROOT_HOME cannot be used: {error.filename}: {error.strerror}.", file=sys.stderr)
        return 1
    with ExitStack() as stack:
        stack.callback(house.forget_description)
        house.forget_description()
        try:
            Development(house, children, stack).run()
        except Stop:
            print("\nStopping.", flush=True)
        except ChildDied as error:
            print(f"\n{error}", file=sys.stderr)
            return 1
        finally:
            for number in STOPPING:
                signal.signal(number, signal.SIG_IGN)
            children.stop()
    return 0


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise Stop


class Development:
    """One run of the whole platform."""

    def __init__(self, house: House, children: Children, stack: ExitStack) -> None:
        self.house = house
        self.children = children
        self.stack = stack
        self.started = time.monotonic()
        self.port = _free_port_wanted(os.environ.get("PORT", "4000"))
        self.base_url = f"http://127.0.0.1:{self.port}"
        self.environment = dict(os.environ)
        self.backend_url = ""
        self.stores: dict[str, Callable[[], bool]] = {}

    def run(self) -> None:
        """Brings everything up, says so, and waits."""
        self._start_stand_ins()
        self._start_stores()
        seeded = self._seed()
        self._start_root()
        self.house.describe_environment(self._own_variables())
        self.house.describe(self._description(seeded))
        self._announce(seeded)
        while True:
            self.children.check()
            self._check_stores()
            time.sleep(1)

    def _check_stores(self) -> None:
        """The embedded servers are no children of ours in name, but without them nothing works."""
        for name, alive in self.stores.items():
            if not alive():
                raise ChildDied(f"{name} has ended; start again.")

    def _start_stand_ins(self) -> None:
        files = {"backend": self.house.home / "backend.port", "model": self.house.home / "model.port"}
        for file in files.values():
            file.unlink(missing_ok=True)
        self._start_backend(files["backend"])
        offline = not (os.environ.get("OPENROUTER_API_KEY") or os.environ.get("OPENROUTER_BASE_URL"))
        if offline:
            self._start_offline_model(files["model"])
        self.children.wait_for(files["backend"].exists, what="The reference backend")
        self.backend_url = f"http://127.0.0.1:{files['backend'].read_text().strip()}"
        if offline:
            self.children.wait_for(files["model"].exists, what="The offline model")
            self.environment |= {
                "OPENROUTER_BASE_URL": f"http://127.0.0.1:{files['model'].read_text().strip()}/v1",
                "OPENROUTER_API_KEY": "offline",
                "ROOT_OFFLINE_MODEL": "true",
            }

    def _start_backend(self, port_file: Path) -> None:
        self.children.start(
            "backend",
            [sys.executable, "scripts/reference_backend.py", "--port", "0", "--port-file", str(port_file)],
            environment=os.environ | {"ROOT_SIGNING_SECRET": self.house.secret("backend_secret")},
        )

    def _start_offline_model(self, port_file: Path) -> None:
        self.children.start(
            "model",
            [sys.executable, "-m", "scripts.offline_model", "--port", "0", "--port-file", str(port_file)],
            environment=os.environ,
        )

    def _start_stores(self) -> None:
        data = self.house.home
        self.environment |= {
            "PORT": str(self.port),
            "NODE_ENV": os.environ.get("NODE_ENV", "development"),
            "ROOT_HOME": str(data),
            "PLATFORM_BASE_URL": os.environ.get("PLATFORM_BASE_URL", self.base_url),
            "SESSION_COOKIE_SECRET": os.environ.get("SESSION_COOKIE_SECRET")
            or self.house.secret("session_cookie_secret"),
        }
        if self.environment["NODE_ENV"] == "development":
            self.environment.setdefault("AUTH_DEV_BYPASS", "true")
        if not os.environ.get("DATABASE_URL"):
            self.environment["DATABASE_URL"] = self.stack.enter_context(
                postgres.embedded_postgres(data / "postgres")
            )
            self.stores["Postgres"] = partial(postgres.is_running, data / "postgres")
        if not os.environ.get("REDIS_URL"):
            self.environment["REDIS_URL"] = self.stack.enter_context(valkey.embedded_valkey(data / "valkey"))
            self.stores["Valkey"] = partial(
                valkey.is_running, self.environment["REDIS_URL"].removeprefix("unix://")
            )
        self._say("Postgres and Valkey answer.")

    def _seed(self) -> dict[str, Any]:
        self._say("Preparing the demo community …")
        kept = self.house.kept()
        asked = {
            "backend_url": self.backend_url,
            "backend_secret": self.house.secret("backend_secret"),
            "kept": kept.get("demo", {}),
        }
        done = subprocess.run(
            [sys.executable, "-m", "scripts.development.seed"],
            input=json.dumps(asked).encode(),
            env=self.environment,
            stdout=subprocess.PIPE,
            check=False,
        )
        if done.returncode:
            raise ChildDied("The demo community could not be prepared.")
        seeded: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        self.house.keep(self.house.kept() | {"demo": seeded})
        self._say(f"{seeded['pages']} pages are in the knowledge base.")
        return seeded

    def _start_root(self) -> None:
        web = ["uvicorn", "root_platform.asgi:application", "--host", "127.0.0.1", "--port", str(self.port)]
        self.children.start(
            "web", [sys.executable, "-m", *web, "--no-access-log"], environment=self.environment
        )
        self.children.start(
            "worker", [sys.executable, "-m", "root_platform.workers"], environment=self.environment
        )
        self.children.wait_for(self._is_ready, what="Root")

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.base_url}/ready", timeout=5) as reply:  # noqa: S310 - our own address
                return bool(reply.status == 200)
        except OSError:
            return False

    def _own_variables(self) -> dict[str, str]:
        """Everything Root reads, wherever it came from: the next terminal need not have it."""
        known = {name.upper() for name in Environment.model_fields}
        return {name: value for name, value in self.environment.items() if name in known}

    def _description(self, seeded: dict[str, Any]) -> dict[str, Any]:
        community = json.loads((DEMO / "community.json").read_text())
        return {
            "base_url": self.base_url,
            "tenant": seeded["tenant"],
            "web_token": seeded["web_token"],
            "api_keys": seeded["api_keys"],
            "login_url": self._login_url(community),
            "backend_url": self.backend_url,
            "backend_secret": self.house.secret("backend_secret"),
            "llm_url": self.environment.get("OPENROUTER_BASE_URL"),
            "database_url": self.environment["DATABASE_URL"],
            "redis_url": self.environment["REDIS_URL"],
            "principals": _principals_by_tier(),
            "example_question": community["example_question"],
            "example_asker": community["example_asker"],
            "pid": os.getpid(),
        }

    def _announce(self, seeded: dict[str, Any]) -> None:
        community = json.loads((DEMO / "community.json").read_text())
        took = time.monotonic() - self.started
        print(
            f"\nRoot is ready after {took:.1f} s.\n\n"
            f"  Chat        {self.base_url}/web/{seeded['tenant']}/test?token={seeded['web_token']}\n"
            f"  Ask         {community['example_question']}\n"
            f"  Operators   {self._login_url(community) or self.base_url + '/admin/'}\n"
            f"  Live key    {seeded['api_keys']['live']}\n"
            f"  Dev key     {seeded['api_keys']['dev']}\n"
            f"  Backend     {self.backend_url}\n"
            f"  Everything  {self.house.description}\n\n"
            f"Ctrl-C stops it all.",
            flush=True,
        )

    def _login_url(self, community: dict[str, Any]) -> str | None:
        """Signs the demo's operator in with one click, where the development login is open."""
        if self.environment.get("AUTH_DEV_BYPASS") != "true":
            return None
        asked = urlencode({"email": community["operator"], "next": "/admin/"})
        return f"{self.base_url}/auth/dev-login?{asked}"

    def _say(self, line: str) -> None:
        print(f"[{time.monotonic() - self.started:5.1f} s] {line}", flush=True)


def _principals_by_tier() -> dict[str, dict[str, Any]]:
    """One person for each tier, and one administrator."""
    chosen: dict[str, dict[str, Any]] = {}
    for person in json.loads((DEMO / "people.json").read_text()):
        shown = {name: person.get(name) for name in ("ref", "email", "slack_user_id")}
        chosen.setdefault("admin" if person.get("is_admin") else person["tier"], shown)
    return chosen


def port_refused(port: str, error: OSError) -> str:
    """Why a port cannot be had, and what to do."""
    if isinstance(error, PermissionError):
        return f"Port {port} is kept for the system; choose one above 1023 with PORT=… scripts/dev."
    return f"Port {port} is taken; choose another with PORT=… scripts/dev."


def _free_port_wanted(raw: str) -> int:
    if not raw.isdecimal() or not raw.isascii() or not 1 <= int(raw) <= 65535:
        sys.exit(f"PORT must be a number between 1 and 65535, not {raw!r}.")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", int(raw)))
        except OSError as error:
            sys.exit(port_refused(raw, error))
    return int(raw)


if __name__ == "__main__":
    sys.exit(main())
