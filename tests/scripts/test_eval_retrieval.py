"""``scripts/eval-retrieval`` runs whole on a collection in BEIR layout, and leaves nothing behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest

from scripts.evaluation.collections import NoCollection, beir, demo_pages, golden

ROOT = Path(__file__).resolve().parents[2]
EVALUATION = [sys.executable, "-m", "scripts.evaluation"]
CORPUS = [
    {"_id": "a", "title": "Kiln", "text": "The kiln is fired on Mondays."},
    {"_id": "b/2", "title": "", "text": "Bicycles stand in the yard behind the house."},
    {"_id": "c", "title": "Dogs", "text": "Two dogs may come on Tuesdays."},
    {"_id": "d", "title": "", "text": ""},
]
QUERIES = [
    {"_id": "q1", "text": "when is the kiln fired"},
    {"_id": "q2", "text": "where do bicycles stand"},
    {"_id": "unjudged", "text": "nobody knows"},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\ta\t1\nq2\tb/2\t2\nq2\tc\t0\n"


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    _lines(tmp_path / "corpus.jsonl", CORPUS)
    _lines(tmp_path / "queries.jsonl", QUERIES)
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text(QRELS)
    return tmp_path


def _lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    return subprocess.run(
        [*EVALUATION, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, **environment},
    )


@pytest.mark.serial
def test_figures_of_every_lane_and_nothing_left_behind(collection: Path, llm: Any, database_url: str) -> None:
    done = _run(
        *("--beir", str(collection), "--no-rerank", "--lane", "all", "--json"),
        DATABASE_URL=database_url,
        OPENROUTER_BASE_URL=llm.base_url,
        OPENROUTER_API_KEY="test-key",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    figures = json.loads(done.stdout)
    assert (figures["documents"], figures["questions"], figures["surface"]) == (3, 2, "knowledge")
    assert figures["keyword_rank"] == "bm25"
    assert set(figures["lanes"]) == {"vector", "keyword", "fused"}
    assert figures["ndcg@10"] == figures["mrr"] == figures["hit@1"] == 1.0
    with psycopg.connect(database_url) as other:
        for table in ("tenants", "knowledge_pages", "knowledge_chunks", "keyword_df", "llm_token_usage"):
            left = other.execute(f"SELECT count(*) FROM {table}").fetchone()
            assert left == (1 if table == "tenants" else 0,), table


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        ("corpus.jsonl", "not json\n", "line 1"),
        ("corpus.jsonl", '{"text": "no id"}\n', "_id"),
        ("corpus.jsonl", "", "no documents"),
        ("qrels/test.tsv", "q1\ta\tgood\n", "line 1"),
    ],
)
def test_a_folder_that_is_no_collection_is_named(
    collection: Path, file: str, content: str, told: str
) -> None:
    (collection / file).write_text(content)
    with pytest.raises(NoCollection, match=told):
        beir(collection)


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(NoCollection, match="cannot be read"):
        beir(tmp_path / "nowhere")


def test_the_golden_queries_name_pages_that_exist() -> None:
    slugs = {path.stem for path in demo_pages()}
    questions = golden().questions
    assert len({question.judged.query for question in questions}) == len(questions) >= 50
    assert {question.kind for question in questions} == {"meaning", "name", "code", "number"}
    assert all(question.judged.relevant.keys() <= slugs for question in questions)


@pytest.mark.serial
def test_the_slack_surface_searches_messages(collection: Path, llm: Any, database_url: str) -> None:
    talk = [
        {"_id": "m1", "text": "When is the kiln fired?", "user": "U1", "ts": "1700000000.000100"},
        {
            "_id": "m2",
            "text": "On Mondays, and it is hot by noon: the kiln is fired at eight.",
            "user": "U2",
            "ts": "1700000060.000100",
            "thread_ts": "1700000000.000100",
            "channel": "#craft",
        },
        {"_id": "m3", "text": "Bicycles <stand> in the yard & behind the house.", "ts": "not a time"},
        {"_id": "b/2", "text": "Bicycles <stand> in the yard & behind the house."},
        {"_id": "m4", "text": "ok"},
    ]
    _lines(collection / "corpus.jsonl", talk)
    (collection / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tm1\t1\nq2\tb/2\t2\n")
    run = _run(
        *("--beir", str(collection), "--surface", "slack", "--lane", "all", "--no-rerank", "--json"),
        DATABASE_URL=database_url,
        OPENROUTER_BASE_URL=llm.base_url,
        OPENROUTER_API_KEY="test-key",
    )
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert (report["surface"], report["documents"], report["hit@3"], report["questions"]) == (
        "slack",
        3,
        1.0,
        2,
    )
    assert set(report["lanes"]) == {"vector", "keyword", "fused"}
    assert report["statuses"] == {"found": 2}
