"""The CPU that one turn costs beside its model and tools: Root's kernel, LangGraph, Pydantic AI."""

from __future__ import annotations

import argparse
import asyncio
import importlib.metadata
import json
import logging
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

Turn = Callable[[], Awaitable[None]]

WARM_UP = 10
TARGET = 0.5


def main() -> int:
    options = _options()
    # Nobody's tracing may send anything, or cost anything.
    os.environ.update(LANGSMITH_TRACING="false", LANGCHAIN_TRACING_V2="false")
    logging.disable(logging.CRITICAL)
    costs = asyncio.run(_measured(options.turns))
    report = _report(costs, turns=options.turns)
    sys.stdout.write(json.dumps(report, indent=2) + "\n")
    return 0 if report["ratio_to_better_peer"] <= TARGET else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench/turn", description=__doc__)
    parser.add_argument("--turns", type=int, default=300, help="interleaved turns of each (at least 200)")
    options = parser.parse_args()
    if options.turns < 200:
        parser.error("fewer than 200 turns say little")
    return options


def _contestants() -> dict[str, Turn]:
    """Both peers in both of their ways, with threads and on the event loop; the better one counts."""
    from scripts.bench import langgraph_side, pydantic_ai_side, root_side

    def blocking(turn: Callable[[], None]) -> Turn:
        async def run() -> None:
            turn()

        return run

    return {
        "root": blocking(root_side.one_turn),
        "langgraph_threads": blocking(langgraph_side.one_turn),
        "langgraph_async": langgraph_side.one_turn_async,
        "pydantic_ai_threads": pydantic_ai_side.one_turn,
        "pydantic_ai_async": pydantic_ai_side.one_turn_async,
    }


async def _measured(turns: int) -> dict[str, list[float]]:
    """Interleaved, each round beginning with another one, so that the machine's moods hit all alike."""
    contestants = list(_contestants().items())
    costs: dict[str, list[float]] = {name: [] for name, _ in contestants}
    for number in range(WARM_UP + turns):
        first = number % len(contestants)
        for name, turn in contestants[first:] + contestants[:first]:
            before = time.process_time()
            await turn()
            if number >= WARM_UP:
                costs[name].append((time.process_time() - before) * 1000)
    return costs


def _report(costs: dict[str, list[float]], *, turns: int) -> dict[str, Any]:
    median = {name: statistics.median(values) for name, values in costs.items()}
    langgraph = min(median["langgraph_threads"], median["langgraph_async"])
    pydantic_ai = min(median["pydantic_ai_threads"], median["pydantic_ai_async"])
    return {
        "root_cpu_ms": round(median["root"], 3),
        "langgraph_cpu_ms": round(langgraph, 3),
        "pydantic_ai_cpu_ms": round(pydantic_ai, 3),
        "ratio_to_better_peer": round(median["root"] / min(langgraph, pydantic_ai), 3),
        "target": TARGET,
        "turns": turns,
        "median_cpu_ms": {name: round(value, 3) for name, value in median.items()},
        "mean_cpu_ms": {name: round(statistics.fmean(values), 3) for name, values in costs.items()},
        "versions": {name: importlib.metadata.version(name) for name in ("langgraph", "pydantic-ai-slim")},
    }


if __name__ == "__main__":
    raise SystemExit(main())
