"""``manage.py trace TRACE_ID``: one turn, read back from its record."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from apps.agent.record.reading import Json, read_turn
from apps.foundation.commands import SentenceCommand


class Command(SentenceCommand):
    help = (
        "Shows what a turn did: rounds, recoveries, tools, purposes, usage, prompt layers, rows of the log."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("trace_id", metavar="TRACE_ID")
        parser.add_argument("--json", action="store_true", help="for machines")

    def perform(self, **options: Any) -> None:
        turn = read_turn(options["trace_id"])
        if options["json"]:
            return self.say(json.dumps(turn, ensure_ascii=False, indent=2))
        for line in _lines(turn):
            # A name somebody chose must not begin a line that looks like ours.
            self.say(line.replace("\n", "\\n"))
        return None


def _lines(turn: Json) -> Iterator[str]:
    yield f"trace     {turn['trace_id']} of {turn['tenant']}"
    yield from _ending(turn)
    for entry in turn["rounds"]:
        yield f"round {entry['round']:<3} {entry['phase']}: " + "; ".join(map(_attempt, entry["attempts"]))
    for name in turn["recoveries"]:
        yield f"recovery  {name}"
    yield from map(_tool, turn["tools"])
    for row in turn["purposes"]:
        yield f"purpose   {row['purpose']} with {row['model']}: {_spent(row, calls=row['calls'])}"
    if usage := turn["usage"]:
        yield f"used      {_spent(usage, calls=usage['llm_calls'])}"
    for layer in turn["prompt_layers"]:
        yield f"layer     {layer['name']} ({layer['origin']}): {layer['size']} characters"
    yield from _left_behind(turn)


def _ending(turn: Json) -> Iterator[str]:
    if not turn["finished"]:
        yield "turn      not finished: it is under way, or its process died"
        return
    ended = turn["failure"] or ("well" if turn["success"] else "with failed calls")
    person = f"{turn['person']['ref']} ({turn['person']['tier']})"
    yield f"turn      {turn['channel']} for {person}, ended {ended}, {turn['duration_ms']} ms"
    if turn["error"]:
        yield f"error     {turn['error']}"


def _left_behind(turn: Json) -> Iterator[str]:
    for row in turn["products"]:
        yield f"made      {row['kind']} {row['ref']}"
    for row in turn["interventions"]:
        yield f"told      {row['category']} ({row['status']}): {row['title']}"
    for row in turn["log"]:
        yield f"log       {row['direction']} {row['status']}, {row['size']} characters, {row['dedupe_key']}"


def _spent(row: Json, *, calls: int) -> str:
    return f"{calls} model calls, {row['tokens']} tokens, ${row['cost_usd']:.4f}"


def _attempt(attempt: Json) -> str:
    if "error" in attempt:
        return f"{attempt['error']} after {attempt['ms']} ms"
    return f"{attempt['finish']} with {attempt['calls']} calls, {attempt['ms']} ms ({attempt['model']})"


def _tool(call: Json) -> str:
    state = call["state"] if call["state"] != "recorded" else call["outcome"]
    ended = {True: "done", False: "failed", None: "unknown"}[call["success"]]
    signs = "".join(f", {note['count']}× {note['kind']}" for note in call["notes"])
    given = json.dumps(call["arguments"], ensure_ascii=False)
    return f"tool      {call['name']} {ended} ({state}), {call['duration_ms']} ms{signs} {given}"
