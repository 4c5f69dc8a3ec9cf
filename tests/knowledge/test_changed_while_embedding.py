"""A chunk that is rewritten while its vector is being made does not get that vector."""

from typing import Any

import psycopg

from apps.knowledge.indexing import embed_pending
from apps.knowledge.models import KnowledgeChunk
from apps.knowledge.pages import save_page
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.fakes.llm import fails


def test_the_vector_of_the_old_text_is_thrown_away(tenant: Tenant, database_url: str, llm: Any) -> None:
    def rewrite(text: str) -> bool:
        with psycopg.connect(database_url) as other:
            other.execute(
                "UPDATE knowledge_chunks SET chunk_text = 'other words' WHERE chunk_text <> 'other words'"
            )
        return False

    with tenant_context(tenant):
        llm.embedding.replies.append(fails(503))
        save_page(title="Gate", content_text="The gate is open from seven to ten.")
        llm.embedding.refuses = rewrite
        first = embed_pending()
        assert (first.embedded, KnowledgeChunk.objects.get().embedding) == (0, None)
        llm.embedding.refuses = lambda text: False
        assert embed_pending().embedded == 1
        assert llm.embeddings[-1].body["input"] == ["Gate\n\nother words"]
