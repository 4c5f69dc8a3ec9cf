"""A thread as it stands in the index, and its transcript for a model (contract §10.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from django.db.models import Count, F, Q
from django.db.models.functions import Coalesce

from apps.foundation.text import neutralize, one_line
from apps.integrations.slack.reading import ts_key
from apps.knowledge.models import ProcessedSlackMessage, SlackThreadArtifact

TRANSCRIPT_CHARS: Final = 24_000
MIN_BURST_CHARS: Final = 200
_GAP: Final = "\n[the middle of the thread is left out]\n"


@dataclass(frozen=True, kw_only=True)
class Burst:
    """What one person wrote without anybody between."""

    messages: tuple[ProcessedSlackMessage, ...]

    @property
    def first(self) -> ProcessedSlackMessage:
        return self.messages[0]

    @property
    def text(self) -> str:
        return "\n".join(message.message_text for message in self.messages)


def thread_messages(channel_id: str, thread_ts: str) -> list[ProcessedSlackMessage]:
    """What may be found of a thread, in its order."""
    rows = ProcessedSlackMessage.objects.filter(
        Q(message_ts=thread_ts) | Q(thread_ts=thread_ts), channel_id=channel_id, withdrawn_at__isnull=True
    ).defer("embedding", "embedding_bq", "search_tsv", "trigrams", "normalized_text")
    return sorted(rows, key=lambda row: ts_key(row.message_ts))


def threads_to_distill() -> list[tuple[str, str]]:
    """Channel and time of the threads with replies of which there is no document yet, the newest first."""
    live = ProcessedSlackMessage.objects.filter(withdrawn_at__isnull=True)
    replied = live.exclude(thread_ts=None).exclude(thread_ts=F("message_ts"))
    found = set(replied.values_list("channel_id", "thread_ts").distinct())
    done = SlackThreadArtifact.objects.filter(kind=SlackThreadArtifact.Kind.THREAD)
    left = found - set(done.values_list("channel_id", "thread_ts"))
    sizes = live.annotate(root=Coalesce("thread_ts", "message_ts")).values_list("channel_id", "root")
    several = {(channel, root) for channel, root, count in sizes.annotate(n=Count("id")) if count > 1}
    return sorted(left & several, key=lambda thread: ts_key(thread[1]), reverse=True)


def transcript(messages: Sequence[ProcessedSlackMessage]) -> str:
    """Who said what; of a long one its beginning and its end."""
    whole = "\n".join(f"{_heading(message)}: {_indented(message.message_text)}" for message in messages)
    if len(whole) <= TRANSCRIPT_CHARS:
        return whole
    kept = TRANSCRIPT_CHARS - len(_GAP)
    return whole[: kept - kept // 2] + _GAP + whole[-(kept // 2) :]


def _heading(message: ProcessedSlackMessage) -> str:
    return f"{speaker(message)} ({message.message_date:%Y-%m-%d %H:%M})"


def _indented(text: str) -> str:
    """Lines of a message cannot be taken for the next one, or for the end of the thread."""
    return neutralize(text).replace("\n", "\n  ")


def speaker(message: ProcessedSlackMessage) -> str:
    return one_line(message.user_name or message.user_id or "Somebody", limit=80)


def bursts(messages: Sequence[ProcessedSlackMessage]) -> Iterator[Burst]:
    """Runs of one author that are long enough, in the thread's order."""
    for _, run in groupby(messages, key=lambda message: message.user_id or message.user_name):
        burst = Burst(messages=tuple(run))
        if len(burst.text) >= MIN_BURST_CHARS:
            yield burst
