"""The keyword lane of pages: any word of the question, ranked by how densely they stand together (contract §10.2)."""

from __future__ import annotations

from apps.knowledge.audience import Audience
from apps.knowledge.retrieval.execution import Statement
from apps.knowledge.retrieval.keyword_query import or_query
from apps.knowledge.retrieval.scope import chunk_scope

LANE_LIMIT = 20

_COVER_DENSITY = """
SELECT k.id, k.knowledge_page_id, ts_rank_cd(k.search_tsv, words, 32) AS rank
FROM knowledge_chunks k, to_tsquery('english', %(words)s) AS words
WHERE {scope} AND k.search_tsv @@ words
ORDER BY rank DESC, k.id LIMIT %(limit)s
"""


def keyword_statement(query: str, *, audience: Audience, limit: int = LANE_LIMIT) -> Statement | None:
    """The lane as a statement: rows of (chunk id, page id, rank), best first; None without a word to look for."""
    words = or_query(query)
    if words is None:
        return None
    scope, parameters = chunk_scope(audience)
    return Statement(
        name="keyword",
        sql=_COVER_DENSITY.format(scope=scope),
        parameters={**parameters, "words": words, "limit": limit},
    )
