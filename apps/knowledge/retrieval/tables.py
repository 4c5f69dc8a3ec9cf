"""What is searched by vector: chunks of pages, Slack messages and what was distilled from threads (contract §10).

The expressions are SQL over a row ``k``. Only rows that meet ``condition`` stand in the covering index.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class VectorTable:
    """A table whose rows carry an embedding, its sign bits and its embedder.

    ``source`` is what caps count by, ``ref`` how a flight record names a row.
    """

    name: str
    source: str
    ref: str
    condition: str = "TRUE"


CHUNKS = VectorTable(
    name="knowledge_chunks",
    source="k.knowledge_page_id",
    ref="COALESCE(k.metadata ->> 'slug', k.knowledge_page_id::text) || '#' || k.chunk_index",
)
MESSAGES = VectorTable(
    name="processed_slack_messages",
    source="k.channel_id || ':' || COALESCE(k.thread_ts, k.message_ts)",
    ref="'message:' || k.channel_id || ':' || k.message_ts",
    condition="k.withdrawn_at IS NULL",
)
ARTIFACTS = VectorTable(
    name="slack_thread_artifacts",
    source="k.channel_id || ':' || k.thread_ts",
    ref="k.kind || ':' || k.channel_id || ':' || COALESCE(k.burst_ts, k.thread_ts)",
)
