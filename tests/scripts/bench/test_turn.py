"""The benchmark of a turn's CPU runs: each contestant finishes the workload, and the report draws the ratio."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.bench import root_side, turn_cost, workload

ROOT = Path(__file__).resolve().parents[3]
PEERS = ROOT / ".local" / "bench" / "venv" / "bin" / "python"
BOTH_WAYS = """
import asyncio
from scripts.bench import {side} as side
for _ in range(3):
    result = side.one_turn()
    if result is not None:
        asyncio.run(result)
    asyncio.run(side.one_turn_async())
"""


def test_root_finishes_the_workload() -> None:
    for _ in range(5):
        root_side.one_turn()


def test_a_turn_that_answers_otherwise_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workload, "ANSWER", "something else")
    with pytest.raises(AssertionError):
        root_side.one_turn()


@pytest.mark.skipif(
    not PEERS.exists(), reason="the peers are installed by the first run of scripts/bench/turn"
)
@pytest.mark.parametrize("side", ["langgraph_side", "pydantic_ai_side"])
def test_a_peer_finishes_it_in_both_of_its_ways(side: str) -> None:
    subprocess.run([PEERS, "-c", BOTH_WAYS.format(side=side)], cwd=ROOT, check=True, timeout=120)


def test_the_ratio_is_to_the_better_peer_in_its_better_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: f"{name} 1")
    costs = {
        "root": [2.0, 2.0, 90.0],
        "langgraph_threads": [9.0],
        "langgraph_async": [8.0],
        "pydantic_ai_threads": [4.0],
        "pydantic_ai_async": [5.0],
    }
    report = turn_cost._report(costs, turns=3)
    assert (report["root_cpu_ms"], report["langgraph_cpu_ms"], report["pydantic_ai_cpu_ms"]) == (
        2.0,
        8.0,
        4.0,
    )
    assert report["ratio_to_better_peer"] == 0.5


def test_a_handful_of_turns_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scripts.bench.turn_cost", "--turns", "5"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2 and b"fewer than 200" in done.stderr
