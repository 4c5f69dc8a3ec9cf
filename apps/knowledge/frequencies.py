"""Counts in how many of a tenant's chunks each word stands, for the keyword ranking (contract §10.2).

Counted at the end of a sync or a sweep, not by triggers: those would more than double what an insert costs, and a
ranking does not change by a few pages.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import connection, transaction

from apps.foundation.clock import now
from apps.knowledge.models import KeywordStats, KnowledgeChunk, KnowledgePage
from apps.tenancy.context import current_tenant_id

MOVED_SHARE = 0.1
AT_LEAST_EVERY = timedelta(days=1)
# Beyond this size a tenth of the chunks says as much as all of them.
SAMPLED_ABOVE = 100_000
SAMPLED_ONE_IN = 10

# ts_stat takes its rows as the text of a query; quote_literal writes the tenant into it.
_COUNT_WORDS = """
INSERT INTO keyword_df (id, tenant_id, lexeme, ndoc)
SELECT gen_random_uuid(), %(tenant)s, word, ndoc * %(factor)s
FROM ts_stat('SELECT search_tsv FROM knowledge_chunks WHERE tenant_id = ' || quote_literal(%(tenant)s::text)
    || '::uuid' || %(sample)s)
"""
_SAMPLE = f" AND hashtext(id::text) % {SAMPLED_ONE_IN} = 0"
_SIZE = "SELECT count(*), COALESCE(avg(doc_len), 0) FROM knowledge_chunks WHERE tenant_id = %s"
_FORGET = "DELETE FROM keyword_df WHERE tenant_id = %s"


def refresh_if_due() -> bool:
    """Counts the current tenant's words anew if its pages changed enough; tells whether it did."""
    if not is_due():
        return False
    refresh()
    return True


def is_due() -> bool:
    """Did the number of chunks move by more than a tenth since the last count, or anything change for a day?"""
    counted = KeywordStats.objects.first()
    chunks = KnowledgeChunk.objects.count()
    if counted is None:
        return chunks > 0
    if abs(chunks - counted.chunks_at_refresh) > MOVED_SHARE * counted.chunks_at_refresh:
        return True
    rested = now() - counted.refreshed_at >= AT_LEAST_EVERY
    return rested and (chunks != counted.chunks_at_refresh or _changed_since(counted))


def refresh() -> None:
    """Counts the current tenant's words; searches use the old counts until the new ones are whole."""
    tenant = current_tenant_id()
    with transaction.atomic():
        # Whoever counts holds the row: two at once would meet in the unique index.
        KeywordStats.objects.get_or_create(defaults={"n": 0, "avgdl": 0, "chunks_at_refresh": 0})
        stats = KeywordStats.objects.select_for_update().get()
        began = now()
        with connection.cursor() as cursor:
            cursor.execute(_SIZE, [tenant])
            (chunks, average) = cursor.fetchone() or (0, 0)
            sampled = chunks > SAMPLED_ABOVE
            cursor.execute(_FORGET, [tenant])
            cursor.execute(
                _COUNT_WORDS,
                {
                    "tenant": tenant,
                    "factor": SAMPLED_ONE_IN if sampled else 1,
                    "sample": _SAMPLE if sampled else "",
                },
            )
        stats.n = stats.chunks_at_refresh = chunks
        stats.avgdl, stats.refreshed_at = float(average), began
        stats.save()


def _changed_since(counted: KeywordStats) -> bool:
    return KnowledgePage.objects.filter(updated_at__gt=counted.refreshed_at).exists()
