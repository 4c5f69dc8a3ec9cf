"""Collections to measure on: documents, questions, and which document answers which question."""

from __future__ import annotations

import csv
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from apps.knowledge.retrieval.evaluation import Judged

DEMO = Path(__file__).resolve().parents[1] / "demo"


class NoCollection(Exception):
    """A folder holds no collection; the message says what is missing."""


@dataclass(frozen=True)
class Document:
    """A document of a collection; ``facts`` are the other columns of its line."""

    id: str
    title: str
    text: str
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Question:
    """A judged question; ``kind`` groups the figures of a collection that has kinds."""

    judged: Judged
    kind: str = ""


@dataclass(frozen=True)
class Collection:
    name: str
    documents: list[Document]
    questions: list[Question]


def beir(folder: Path) -> Collection:
    """A collection in BEIR layout: ``corpus.jsonl``, ``queries.jsonl``, ``qrels/test.tsv``."""
    documents = [_document(line) for line in _lines(folder / "corpus.jsonl")]
    relevant = _judgements(folder / "qrels" / "test.tsv")
    questions = [
        Question(Judged(str(line["text"]), relevant[str(line["_id"])]))
        for line in _lines(folder / "queries.jsonl")
        if str(line["_id"]) in relevant
    ]
    if not documents or not questions:
        raise NoCollection(f"{folder} holds no documents or no judged questions.")
    return Collection(folder.name, documents, questions)


def golden() -> Collection:
    """The demo community's pages and the questions its people ask; documents are named by slug."""
    asked = json.loads((DEMO / "golden_queries.json").read_text())
    questions = [
        Question(Judged(entry["query"], dict.fromkeys(entry["pages"], 1.0)), entry["kind"]) for entry in asked
    ]
    return Collection("demo community", [], questions)


def demo_pages() -> list[Path]:
    return sorted((DEMO / "pages").glob("*.md"))


def _document(line: dict[str, Any]) -> Document:
    facts = {name: value for name, value in line.items() if name not in {"_id", "title", "text"}}
    return Document(str(line["_id"]), str(line.get("title") or ""), str(line.get("text") or ""), facts)


def _judgements(path: Path) -> dict[str, dict[str, float]]:
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)
    with _opened(path) as file:
        for number, row in enumerate(csv.reader(file, delimiter="\t"), start=1):
            if number == 1 and row[-1:] == ["score"]:
                continue
            try:
                question, document, score = row[0], row[-2], float(row[-1])
            except (ValueError, IndexError):
                raise NoCollection(f"{path}, line {number}: not question, document and score.") from None
            found[question][document] = score
    return dict(found)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with _opened(path) as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except ValueError:
                value = None
            if not isinstance(value, dict) or "_id" not in value:
                raise NoCollection(f"{path}, line {number}: not a JSON object with an _id.")
            yield value


def _opened(path: Path) -> Any:
    try:
        return path.open(encoding="utf-8", newline="")
    except OSError as error:
        raise NoCollection(f"{path} cannot be read: {error.strerror}.") from None


def say(line: str) -> None:
    """For the person waiting; figures go to stdout."""
    print(line, file=sys.stderr, flush=True)
