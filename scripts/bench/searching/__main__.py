"""Runs it all: an embedded Postgres for each kind of vectors, communities of all sizes, figures."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from scripts.bench.searching.vectors import Kind, Source
from scripts.embedded.postgres import embedded_postgres


def main(arguments: Sequence[str]) -> int:
    """Exit status 1 when a bound is missed. Each kind of vectors has a process and a database of its own."""
    asked = _options(arguments)
    if len(asked.vectors) > 1:
        return max(_elsewhere(asked, kind) for kind in asked.vectors)
    with tempfile.TemporaryDirectory(prefix="root-bench-", ignore_cleanup_errors=True) as home:
        Path(home).chmod(0o755)
        with embedded_postgres(Path(home) / "postgres", durable=False) as url:
            os.environ.update(DATABASE_URL=url, NODE_ENV="development")
            figures = _measured(asked.vectors[0], scale=asked.scale, rounds=asked.rounds)
    print(json.dumps(figures, indent=2), flush=True)
    return 0 if all(figures["holds"].values()) else 1


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench/retrieval", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="of all numbers of rows")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--vectors", nargs="+", choices=get_args(Kind), default=list(get_args(Kind)))
    return parser.parse_args(arguments)


def _elsewhere(asked: argparse.Namespace, kind: str) -> int:
    import subprocess

    command = [sys.executable, "-m", "scripts.bench.searching", "--vectors", kind]
    return subprocess.run(
        [*command, "--scale", str(asked.scale), "--rounds", str(asked.rounds)], check=False
    ).returncode


def _measured(kind: Kind, *, scale: float, rounds: int) -> dict[str, Any]:
    from scripts.evaluation.surroundings import close_connections, start_django

    start_django()
    try:
        return _figures(kind, scale=scale, rounds=rounds)
    finally:
        close_connections()


def _figures(kind: Kind, *, scale: float, rounds: int) -> dict[str, Any]:
    from apps.foundation.ttl_cache import clear_all
    from scripts.bench.searching import measuring
    from scripts.bench.searching.filling import Filler

    filler = Filler(Source(kind))
    sized = {name: max(round(rows * scale), 60) for name, rows in _ROWS.items()}
    filled = {name: filler.fill(name, sized[name]) for name in ("small", "middle", "beside")}
    filler.settle()
    in_small_table = measuring.search_in_yards(filled["middle"], rounds=rounds)
    filled |= {name: filler.fill(name, sized[name]) for name in ("large", "others")}
    filled["narrow"] = filler.fill("narrow", sized["narrow"], visible_share=0.01)
    filler.settle()
    clear_all()
    in_large_table = measuring.search_in_yards(filled["middle"], rounds=rounds)
    searches = {name: measuring.whole_search(filled[name], rounds=rounds) for name in _SIZES}
    lanes = {name: measuring.vector_lane(filled[name], rounds=rounds) for name in _SIZES}
    narrow = measuring.rows_for_a_narrow_tier(filled["narrow"])
    grown = searches["large"]["search_ms"] / searches["middle"]["search_ms"]
    figures = {
        "surface": "knowledge",
        "vectors": kind,
        "rows_in_table": sum(sized.values()),
        "ratio_to_bare_sql": max(entry["ratio_to_bare_sql"] for entry in searches.values()),
        "recall_at_30": min(entry["recall_at_30"] for entry in lanes.values()),
        "searches": searches,
        "vector_lanes": lanes,
        "tier_that_sees_one_percent": narrow,
        "same_tenant_in_a_tenfold_table": round(in_large_table / in_small_table, 3),
        "tenant_grown_by": round(sized["large"] / sized["middle"], 1),
        "time_grown_by": round(grown, 2),
    }
    return {**figures, "holds": _holds(figures)}


def _holds(figures: dict[str, Any]) -> dict[str, bool]:
    searches, lanes = figures["searches"], figures["vector_lanes"]
    narrow = figures["tier_that_sees_one_percent"]
    return {
        "near_bare_sql": all(entry["holds"] for entry in searches.values()),
        "lane_at_most_a_fifth_of_the_scan": lanes["large"]["share_of_exact_scan"] <= 0.2,
        "recall": all(entry["recall_at_30"] >= 0.99 for entry in lanes.values()),
        "narrow_tier": narrow["fewest_rows"] == 30 and narrow["recall_at_30"] >= 0.99,
        "table_grows": figures["same_tenant_in_a_tenfold_table"] <= 1.3,
        "tenant_grows": figures["time_grown_by"] <= figures["tenant_grown_by"],
    }


_ROWS = {"small": 100, "middle": 5_000, "beside": 4_900, "large": 60_000, "others": 10_000, "narrow": 20_000}
_SIZES = ("small", "middle", "large")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
