"""``manage.py why TRACE_ID [PAGE_SLUG|CHANNEL:TS]``: how the searches of a turn went, and where an item fell out."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from apps.agent.record.reading import Json, read_turn
from apps.agent.record.whereabouts import flights, path_of
from apps.foundation.commands import SentenceCommand


class Command(SentenceCommand):
    help = "Shows the flight records of a turn's searches; with an item, the step at which it fell out."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("trace_id", metavar="TRACE_ID")
        parser.add_argument("item", metavar="PAGE_SLUG|CHANNEL:TS", nargs="?")
        parser.add_argument("--json", action="store_true", help="for machines")

    def perform(self, **options: Any) -> None:
        searches = flights(read_turn(options["trace_id"]))
        if options["json"]:
            return self.say(json.dumps(_told(searches, options["item"]), ensure_ascii=False, indent=2))
        if not searches:
            self.say("No search of this turn left a record of how it went.")
        for call in searches:
            for line in _lines(call, options["item"]):
                self.say(line.replace("\n", "\\n"))
        return None


def _told(searches: list[Json], item: str | None) -> list[Json]:
    return [
        {"tool": call["name"], "arguments": call["arguments"], "flight": call["flight"]}
        | ({"path": path_of(item, call["flight"])} if item else {})
        for call in searches
    ]


def _lines(call: Json, item: str | None) -> Iterator[str]:
    flight = call["flight"]
    given = json.dumps(call["arguments"], ensure_ascii=False)
    yield f"search   {call['name']} {given}: {flight.get('status', '?')}, {flight.get('ranking', '?')} order"
    if item:
        yield from (f"  {step}" for step in path_of(item, flight))
        return
    for name, lane in flight["lanes"].items():
        walk = flight["walks"].get(name)
        yield f"  {name} lane{f' ({walk})' if walk else ''}: " + (
            "failed" if lane is None else f"{len(lane)} hits"
        )
    cut = {entry["ref"]: entry["why"] for entry in flight["cut"]}
    for entry in flight["fused"]:
        ref = entry["ref"]
        reread = f", reread {flight['reranked'][ref]}" if ref in flight["reranked"] else ""
        yield f"  {entry['rank']:>3}. {ref} {entry['score']}{reread}" + (
            f", cut: {cut[ref]}" if ref in cut else ""
        )
    if flight["unknown_ids"]:
        yield f"  the model made up {flight['unknown_ids']} ids"
