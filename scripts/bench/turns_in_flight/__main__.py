"""Runs the whole of it: stores, model, one web process, rounds of questions, figures."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.bench.turns_in_flight.load import Asked, ask_all, post
from scripts.bench.turns_in_flight.watching import Backends, forget_peak, peak_mb
from scripts.development.processes import Children
from scripts.embedded.postgres import embedded_postgres
from scripts.embedded.valkey import embedded_valkey

CALLS_A_TURN = 3
SPENT = "/bench/spent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What must hold (issue's own numbers)."""

    connection_wait_share: float = 0.01
    wall_over_model_time: float = 3.0
    third_peak_over_first: float = 1.1


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """Everything a round needs to know of what is running."""

    port: int
    pid: int
    token: str
    database_url: str

    def spent(self) -> dict[str, float]:
        return asyncio.run(post(self.port, SPENT, {}))[1]


def main(arguments: Sequence[str]) -> int:
    """Exit status 1 when a bound is missed."""
    parser = argparse.ArgumentParser(prog="scripts/bench/inflight")
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=3.0, help="what the model takes for one answer")
    parser.add_argument("--pool", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="root-bench-", ignore_cleanup_errors=True) as home:
        Path(home).chmod(0o755)
        figures = _measured(Path(home), asked)
    print(json.dumps(figures, indent=2))
    return 0 if all(figures["holds"].values()) else 1


def _measured(home: Path, asked: argparse.Namespace) -> dict[str, Any]:
    children = Children(home / "logs")
    with ExitStack() as stack:
        stack.callback(children.stop)
        house = _build(home, asked, children, stack)
        alone = _round(house, turns=1, number=0)
        rounds = [_round(house, turns=asked.turns, number=n + 1) for n in range(asked.rounds)]
    model_time = CALLS_A_TURN * asked.seconds
    return {
        "turns": asked.turns,
        "pool": asked.pool,
        "model_s_a_turn": model_time,
        "alone": alone,
        "rounds": rounds,
        "holds": _holds(rounds, turns=asked.turns, pool=asked.pool, model_time=model_time),
    }


def _holds(rounds: list[dict[str, Any]], *, turns: int, pool: int, model_time: float) -> dict[str, bool]:
    bounds = Bounds()
    return {
        "all_succeed": all(entry["succeeded"] == turns for entry in rounds),
        "connection_wait": all(
            entry["connection_wait_share"] < bounds.connection_wait_share for entry in rounds
        ),
        "web_backends": all(entry["most_web_backends"] <= pool for entry in rounds),
        "wall_time": all(entry["wall_s"] <= bounds.wall_over_model_time * model_time for entry in rounds),
        "memory": rounds[-1]["peak_mb"] <= bounds.third_peak_over_first * rounds[0]["peak_mb"],
    }


def _round(house: House, *, turns: int, number: int) -> dict[str, Any]:
    forget_peak(house.pid)
    before = house.spent()
    began = time.monotonic()
    with Backends(house.database_url) as backends:
        answers = asyncio.run(ask_all(turns, port=house.port, token=house.token, round_number=number))
    wall = time.monotonic() - began
    used = {name: value - before[name] for name, value in house.spent().items()}
    return {
        "wall_s": round(wall, 2),
        "succeeded": sum(answer.answered for answer in answers),
        "seconds": _spread(answers),
        "cpu_ms_a_turn": round(1000 * used["cpu_s"] / turns, 1),
        "connection_wait_ms": round(used["connection_wait_ms"], 1),
        "connection_wait_share": round(used["connection_wait_ms"] / 1000 / wall, 5),
        "place_wait_ms_a_turn": round(used["place_wait_ms"] / turns, 1),
        "connections_a_turn": round(used["connections_asked"] / turns, 1),
        "connections_queued": used["connections_queued"],
        "connection_use_ms_a_turn": round(used["connection_use_ms"] / turns, 1),
        "most_web_backends": backends.most,
        "peak_mb": peak_mb(house.pid),
        "problems": sorted({answer.problem for answer in answers if answer.problem})[:3],
    }


def _spread(answers: list[Asked]) -> dict[str, float]:
    took = sorted(answer.seconds for answer in answers)
    return {
        "fastest": round(took[0], 2),
        "median": round(statistics.median(took), 2),
        "slowest": round(took[-1], 2),
    }


def _build(home: Path, asked: argparse.Namespace, children: Children, stack: ExitStack) -> House:
    model_port = home / "model.port"
    script = ["-m", "scripts.bench.turns_in_flight.model", "--seconds", str(asked.seconds)]
    children.start(
        "model", [sys.executable, *script, "--port-file", str(model_port)], environment=dict(os.environ)
    )
    children.wait_for(model_port.exists, what="The model")
    url = stack.enter_context(embedded_postgres(home / "postgres"))
    environment = _environment(
        DATABASE_URL=url,
        REDIS_URL=stack.enter_context(embedded_valkey(home / "valkey")),
        OPENROUTER_BASE_URL=f"http://127.0.0.1:{model_port.read_text()}/v1",
        ROOT_DB_POOL_SIZE=str(asked.pool),
    )
    seeded = subprocess.run(
        [sys.executable, "-m", "scripts.bench.turns_in_flight.seed"],
        env=environment,
        stdout=subprocess.PIPE,
        check=True,
    )
    port = _free_port()
    web = ["uvicorn", "scripts.bench.turns_in_flight.web:application", "--host", "127.0.0.1"]
    children.start(
        "web",
        [sys.executable, "-m", *web, "--port", str(port), "--no-access-log"],
        environment=environment,
    )
    children.wait_for(lambda: _answers(port), what="The web process")
    token = seeded.stdout.decode().splitlines()[-1]
    return House(
        port=port, pid=int(asyncio.run(post(port, SPENT, {}))[1]["pid"]), token=token, database_url=url
    )


def _environment(**own: str) -> dict[str, str]:
    """This process's, without settings of Root's that somebody may have lying about."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ROOT_", "OPENROUTER_", "LLM_", "OPIK_"))
    }
    fixed = {"NODE_ENV": "production", "SESSION_COOKIE_SECRET": "b" * 48, "ROOT_ALLOW_PRIVATE_HOSTS": "true"}
    return kept | fixed | own


def _answers(port: int) -> bool:
    try:
        return asyncio.run(post(port, SPENT, {}))[0] == 200
    except (OSError, ValueError, IndexError):
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
