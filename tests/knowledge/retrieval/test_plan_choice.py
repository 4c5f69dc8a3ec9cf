"""How a tenant's vectors are walked, by its size and its share of the table."""

import pytest

from apps.knowledge.retrieval.lanes import EXACT_BELOW, GRAPH_ABOVE, CorpusSize, choose_plan


@pytest.mark.parametrize(
    ("rows", "table", "plan"),
    [
        (0, 0, "exact"),
        (EXACT_BELOW - 1, 1_000_000, "exact"),
        (EXACT_BELOW, 1_000_000, "bits"),
        (GRAPH_ABOVE, GRAPH_ABOVE, "bits"),
        (GRAPH_ABOVE + 1, GRAPH_ABOVE + 1, "graph"),
        (GRAPH_ABOVE + 1, 10 * GRAPH_ABOVE, "bits"),
    ],
)
def test_choice(rows: int, table: int, plan: str) -> None:
    assert choose_plan(rows, table=table) == plan


def test_a_corpus_knows_what_its_embedders_cover() -> None:
    size = CorpusSize(by_embedder={"old": 18, None: 2}, table=20)
    assert (size.of("old"), size.lacks("old"), size.lacks("new")) == (18, False, True)
    assert CorpusSize(by_embedder={"old": 5, None: 2}, table=7).lacks("old")
    assert not CorpusSize(by_embedder={}, table=0).lacks("new")
