"""The benchmark of turns in flight runs whole: stores, model, web process, rounds, figures."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.bench.turns_in_flight.__main__ import _holds

ROOT = Path(__file__).resolve().parents[3]
BENCH = [sys.executable, "-m", "scripts.bench.turns_in_flight"]
GOOD = {
    "succeeded": 6,
    "connection_wait_share": 0.0,
    "most_web_backends": 4,
    "wall_s": 1.0,
    "peak_mb": 100.0,
}


@pytest.mark.serial
def test_six_turns_of_a_quick_model() -> None:
    options = ["--turns", "6", "--seconds", "0.05", "--pool", "4", "--rounds", "2"]
    done = subprocess.run([*BENCH, *options], cwd=ROOT, capture_output=True, check=False, timeout=300)
    assert done.stdout, done.stderr.decode()[-2000:]
    figures = json.loads(done.stdout)
    assert [entry["problems"] for entry in figures["rounds"]] == [[], []]
    assert [entry["succeeded"] for entry in figures["rounds"]] == [6, 6]
    # How fast it is depends on who else is at work here; that it kept to its pool does not.
    assert figures["holds"]["all_succeed"] and figures["holds"]["web_backends"]
    assert all(entry["cpu_ms_a_turn"] > 0 and entry["peak_mb"] > 0 for entry in figures["rounds"])
    assert done.returncode == (0 if all(figures["holds"].values()) else 1)


@pytest.mark.parametrize(
    ("bound", "worse"),
    [
        ("all_succeed", {"succeeded": 5}),
        ("connection_wait", {"connection_wait_share": 0.02}),
        ("web_backends", {"most_web_backends": 21}),
        ("wall_time", {"wall_s": 28.0}),
        ("memory", {"peak_mb": 111.0}),
    ],
)
def test_each_bound_can_be_missed(bound: str, worse: dict[str, float]) -> None:
    def missed(*rounds: dict[str, float]) -> set[str]:
        held = _holds(list(rounds), turns=6, pool=20, model_time=9.0)
        return {name for name, holds in held.items() if not holds}

    assert missed(GOOD, GOOD) == set()
    assert missed(GOOD, GOOD | worse) == {bound}
