"""``scripts/eval-retrieval``: loads a collection into a throwaway community, searches it and prints the figures."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts.evaluation.surroundings import root_ready, throwaway_tenant


def main(arguments: Sequence[str]) -> int:
    """Exit status 2 when there is nothing to measure."""
    asked = _options(arguments)
    logging.basicConfig(level=logging.ERROR)
    with root_ready():
        from scripts.evaluation.collections import NoCollection

        try:
            report = _measured(asked)
        except NoCollection as error:
            print(error, file=sys.stderr)
            return 2
    print(json.dumps(report, indent=2) if asked.json else _readable(report))
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/eval-retrieval", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--golden", action="store_true", help="the demo community's golden queries")
    what.add_argument("--beir", type=Path, metavar="DIR", help="a collection in BEIR layout")
    parser.add_argument("--surface", choices=["knowledge", "slack"], default="knowledge")
    parser.add_argument("--lane", choices=["vector", "keyword", "fused", "all"], default="fused")
    parser.add_argument("--no-rerank", action="store_true", help="the fused order alone")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(arguments)


def _measured(asked: argparse.Namespace) -> dict[str, Any]:
    from scripts.evaluation.collections import NoCollection, beir, golden
    from scripts.evaluation.pages_surface import load_demo

    if asked.golden and asked.surface == "slack":
        raise NoCollection("The golden queries are about the demo community's pages; it has no Slack talk.")
    collection = golden() if asked.golden else beir(asked.beir)
    surface = _surface(asked.surface)
    with throwaway_tenant():
        began = time.monotonic()
        ids = load_demo() if asked.golden else surface.load_documents(collection)
        loaded = time.monotonic() - began
        lanes = ["vector", "keyword", "fused"] if asked.lane == "all" else [asked.lane]
        figures = {
            lane: _figures(
                collection.questions, surface.searching(ids, lane=lane, rerank=not asked.no_rerank)
            )
            for lane in lanes
        }
        about = _about(asked, name=collection.name, documents=len(ids), loaded=loaded)
    return {
        **about,
        "lane": asked.lane,
        **figures[lanes[-1]],
        **({"lanes": figures} if len(lanes) > 1 else {}),
    }


def _about(asked: argparse.Namespace, *, name: str, documents: int, loaded: float) -> dict[str, Any]:
    from apps.foundation.environment import env
    from apps.knowledge.sweep import current_embedder

    return {
        "collection": name,
        "surface": asked.surface,
        "documents": documents,
        "embedder": current_embedder(),
        "keyword_rank": env().search_keyword_rank,
        "seconds_loading": round(loaded, 1),
    }


def _surface(name: str) -> Any:
    """How documents get in and are searched."""
    from scripts.evaluation import pages_surface, slack_surface

    return slack_surface if name == "slack" else pages_surface


def _figures(questions: Sequence[Any], search: Any) -> dict[str, Any]:
    from apps.knowledge.retrieval.evaluation import quality

    began = time.monotonic()
    answers = [(question, *search(question.judged.query)) for question in questions]
    seconds = time.monotonic() - began
    by_kind: defaultdict[str, list[Any]] = defaultdict(list)
    for question, found, _ in answers:
        by_kind[question.kind].append((question.judged, found))
    kinds = {kind: quality(pairs).as_json() for kind, pairs in by_kind.items() if kind}
    return {
        **quality([(question.judged, found) for question, found, _ in answers]).as_json(),
        "ms_a_question": round(1000 * seconds / len(answers), 1),
        "statuses": dict(Counter(outcome.status for _, _, outcome in answers)),
        "rankings": dict(Counter(outcome.ranking for _, _, outcome in answers)),
        **({"kinds": kinds} if kinds else {}),
    }


def _readable(report: dict[str, Any]) -> str:
    return "\n".join(f"{name:>16}  {value}" for name, value in report.items())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
