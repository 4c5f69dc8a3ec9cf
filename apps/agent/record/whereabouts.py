"""Where a page or message fell out of the searches of a turn, read from their flight records (contract §10.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

_CUT = {
    "floor": "too far from the question: below the relevance floor of the vector lane",
    "source_cap": "one too many of its page or thread: others of it ranked higher",
    "rerank": "left out by the model that reread the first hits",
    "limit": "beyond the limit of the results",
    "tool_limit": "found, but beyond what the tool shows at once",
    "gone": "deleted, withdrawn or closed to the asker while the search ran",
}


def flights(turn: Json) -> list[Json]:
    """The searches of a turn that left a flight record, each with its tool and arguments."""
    return [call for call in turn["tools"] if isinstance(call["flight"], dict) and "lanes" in call["flight"]]


def path_of(item: str, flight: Json) -> list[str]:
    """What became of an item in one search, a sentence a step; an item is a page's slug or CHANNEL:TS."""
    return [*_in_lanes(item, flight), *_in_fusion(item, flight), *_at_the_end(item, flight)]


def _in_lanes(item: str, flight: Json) -> Iterator[str]:
    for name, lane in flight["lanes"].items():
        if lane is None:
            yield f"{name} lane: failed, so it could find nothing"
            continue
        found = [entry for entry in lane if _is_of(entry, item)]
        for entry in found:
            yield f"{name} lane: rank {entry['rank']} of {len(lane)}, score {entry['score']} ({entry['ref']})"
        if not found:
            yield f"{name} lane: not among its {len(lane)}"


def _in_fusion(item: str, flight: Json) -> Iterator[str]:
    for entry in flight["fused"]:
        if _is_of(entry, item):
            yield f"fused: rank {entry['rank']} of {len(flight['fused'])}, score {entry['score']} ({entry['ref']})"
    for ref, score in flight["reranked"].items():
        if _names(ref, item):
            yield f"reread by the model: score {score} ({ref})"


def _at_the_end(item: str, flight: Json) -> Iterator[str]:
    cut = [entry for entry in flight["cut"] if _is_of(entry, item)]
    for entry in cut:
        yield f"cut: {_CUT.get(entry['why'], entry['why'])} ({entry['ref']})"
    dropped = {entry["ref"] for entry in cut}
    fused = [entry["ref"] for entry in flight["fused"] if _is_of(entry, item)]
    shown = [ref for ref in fused if ref not in dropped]
    if shown:
        yield f"shown to the model: {', '.join(shown)}"
    elif not fused and not cut:
        yield "no lane found it: not indexed (yet), not for this asker to see, or nothing in it fits the question"


def _is_of(entry: Json, item: str) -> bool:
    return _names(str(entry["ref"]), item)


def _names(ref: str, item: str) -> bool:
    """``slug#3`` is of the page ``slug``, ``message:C1:1.2`` and what was distilled there of ``C1:1.2``."""
    return ref == item or ref.rpartition("#")[0] == item or ref.partition(":")[2] == item
