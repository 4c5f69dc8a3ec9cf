"""The benchmark of searches runs whole on a few rows, and each of its bounds can be missed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts.bench.searching.__main__ import _holds

ROOT = Path(__file__).resolve().parents[3]
BENCH = [sys.executable, "-m", "scripts.bench.searching"]
SMALLEST = ["--vectors", "dense", "--scale", "0.01", "--rounds", "1"]
LANE = {"share_of_exact_scan": 0.1, "recall_at_30": 1.0}
GOOD: dict[str, Any] = {
    "searches": {"large": {"holds": True}},
    "vector_lanes": {"large": LANE},
    "tier_that_sees_one_percent": {"fewest_rows": 30, "recall_at_30": 1.0},
    "same_tenant_in_a_tenfold_table": 1.1,
    "tenant_grown_by": 12.0,
    "time_grown_by": 3.0,
}


@pytest.mark.serial
@pytest.mark.parametrize("surface", ["knowledge", "slack"])
def test_a_few_rows(surface: str) -> None:
    command = [*BENCH, "--surface", surface, *SMALLEST]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=300)
    assert done.stdout, done.stderr.decode()[-2000:]
    figures = json.loads(done.stdout)
    assert figures["surface"] == surface and figures["ratio_to_bare_sql"] > 0
    # So few rows are compared exactly.
    assert figures["recall_at_30"] == 1.0 and figures["holds"]["recall"]
    assert ("narrow_tier" in figures["holds"]) == (surface == "knowledge")
    assert done.returncode == (0 if all(figures["holds"].values()) else 1)


@pytest.mark.parametrize(
    ("bound", "worse"),
    [
        ("near_bare_sql", {"searches": {"large": {"holds": False}}}),
        (
            "lane_at_most_a_fifth_of_the_scan",
            {"vector_lanes": {"large": LANE | {"share_of_exact_scan": 0.3}}},
        ),
        ("recall", {"vector_lanes": {"large": LANE | {"recall_at_30": 0.98}}}),
        ("narrow_tier", {"tier_that_sees_one_percent": {"fewest_rows": 29, "recall_at_30": 1.0}}),
        ("table_grows", {"same_tenant_in_a_tenfold_table": 1.4}),
        ("tenant_grows", {"time_grown_by": 13.0}),
    ],
)
def test_each_bound_can_be_missed(bound: str, worse: dict[str, Any]) -> None:
    assert all(_holds(GOOD).values())
    assert {name for name, holds in _holds(GOOD | worse).items() if not holds} == {bound}
