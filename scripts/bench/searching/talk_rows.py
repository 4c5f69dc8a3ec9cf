"""Slack messages, a third of them replies, and a summary for every twelfth of them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice, product
from typing import Any, Final
from uuid import UUID, uuid4

import numpy as np
from pgvector import HalfVector

from apps.knowledge.slack_index.normalized import normalized_text
from apps.tenancy.context import current_tenant_id
from scripts.bench.searching.filling import EMBEDDER, Words, copy_rows
from scripts.bench.searching.vectors import Source, Vectors

_SYLLABLES: Final = ["".join(pair) for pair in product("bdfgklmnprstvxz", "aeiou")]
_CHANNELS: Final = 20
_PEOPLE: Final = 200
MESSAGES_A_SUMMARY: Final = 12
_BEGINNING: Final = datetime(2024, 1, 1, tzinfo=UTC)
_MESSAGE_COLUMNS: Final = """processed_slack_messages (id, tenant_id, channel_id, channel_name, user_id, user_name,
    message_ts, thread_ts, message_text, normalized_text, message_date, permalink, embedding, embedder, embed_failures,
    reaction_count, created_at, updated_at)"""
_MESSAGE_TYPES: Final = (
    *("uuid", "uuid"), *["text"] * 8, "timestamptz", "text", "halfvec", "varchar", "int2", "int4",
    *("timestamptz", "timestamptz"),
)  # fmt: skip
_SUMMARY_COLUMNS: Final = """slack_thread_artifacts (id, tenant_id, channel_id, channel_name, thread_ts, kind, summary,
    document_text, topics, participant_user_ids, embedding, embedder, embed_failures, created_at, updated_at)"""
_SUMMARY_TYPES: Final = (
    *("uuid", "uuid"), *["text"] * 6, "text[]", "text[]", "halfvec", "varchar", "int2", "timestamptz", "timestamptz",
)  # fmt: skip


def spelled(count: int = 30_000) -> list[str]:
    """Words of two syllables and more, which share their trigrams about as words of a language do."""
    chance = np.random.default_rng(5)
    syllables = chance.integers(len(_SYLLABLES), size=(2 * count, 4)).tolist()
    lengths = chance.integers(2, 5, size=2 * count).tolist()
    made = (
        "".join(_SYLLABLES[syllable] for syllable in word[:length])
        for word, length in zip(syllables, lengths, strict=True)
    )
    return list(islice(dict.fromkeys(made), count))


class TalkRows:
    """The writer of messages."""

    graphs = ("slack_messages_hnsw", "slack_artifacts_hnsw")
    tables = ("processed_slack_messages", "slack_thread_artifacts")

    def __init__(self, words: Words) -> None:
        self._words = words
        self._chance = np.random.default_rng(3)

    def begin(self, rows: int, *, visible_share: float) -> None:
        """Nothing: messages belong to no page."""

    def write(self, source: Source, *, start: int, count: int) -> Vectors:
        vectors, tenant = source.draw(count), current_tenant_id()
        copy_rows(_MESSAGE_COLUMNS, self._messages(tenant, vectors, start=start), types=_MESSAGE_TYPES)
        summed = source.draw(-(-count // MESSAGES_A_SUMMARY))
        copy_rows(_SUMMARY_COLUMNS, self._summaries(tenant, summed, start=start), types=_SUMMARY_TYPES)
        return vectors

    def end(self) -> None:
        """Nothing is counted beforehand."""

    def _messages(self, tenant: UUID, vectors: Vectors, *, start: int) -> Iterator[tuple[Any, ...]]:
        for number, vector in enumerate(vectors, start=start):
            channel, person = number % _CHANNELS, int(self._chance.integers(_PEOPLE))
            ts, moment = _ts(number), _BEGINNING + timedelta(minutes=5 * number)
            # The one before it in the same channel is what a reply answers.
            answered = _ts(number - _CHANNELS) if number % 3 == 2 and number >= _CHANNELS else None
            text = self._words.text(int(self._chance.integers(5, 45)))
            said = (ts, answered, text, normalized_text(text), moment, _link(channel, ts))
            where = (f"C{channel:08}", f"channel-{channel}", f"U{person:08}", f"Person {person}")
            yield (uuid4(), tenant, *where, *said, HalfVector(vector), EMBEDDER, 0, 0, moment, moment)

    def _summaries(self, tenant: UUID, vectors: Vectors, *, start: int) -> Iterator[tuple[Any, ...]]:
        for number, vector in enumerate(vectors):
            message = start + number * MESSAGES_A_SUMMARY
            channel, moment = message % _CHANNELS, _BEGINNING + timedelta(minutes=5 * message)
            summary = self._words.text(60)
            where = (f"C{channel:08}", f"channel-{channel}", _ts(message), "thread")
            made = (HalfVector(vector), EMBEDDER, 0, moment, moment)
            yield (uuid4(), tenant, *where, summary, summary, [], [], *made)


def _ts(number: int) -> str:
    return f"{1_704_067_200 + 300 * number}.000100"


def _link(channel: int, ts: str) -> str:
    return f"https://bench.slack.com/archives/C{channel:08}/p{ts.replace('.', '')}"
