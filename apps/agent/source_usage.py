"""Which pages and messages a turn's answer could rest on: references only, never words or people (contract §4.6)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from apps.agent.kernel.types import ExecutedCall
from apps.agent.models import ConversationLog, ReplySourceUsage
from apps.foundation.database import give_back
from apps.foundation.trace import current_trace_id
from apps.knowledge.models import KnowledgePage
from apps.knowledge.retrieval.slack.permalinks import permalink_of

MOST_A_RUN: Final = 200
MESSAGE: Final = ReplySourceUsage.SourceType.SLACK_MESSAGE
PAGE: Final = ReplySourceUsage.SourceType.KNOWLEDGE_PAGE
_CHANNEL: Final = re.compile(r"[CGD][A-Z0-9]{1,40}")
_TS: Final = re.compile(r"[0-9]{1,12}\.[0-9]{1,6}")
Ref = tuple[str, str]


def note(calls: Sequence[ExecutedCall]) -> None:
    """Books what the calls of a batch found, at most 200 references a run. One of the hooks after a batch."""
    trace_id = current_trace_id()
    refs = list(dict.fromkeys(_refs(calls)))
    if trace_id is None or not refs:
        return
    try:
        _book(UUID(hex=trace_id), refs)
    finally:
        # The turn goes on to wait for the model.
        give_back()


def answers_resting_on(slug: str, *, most: int = 100) -> list[ConversationLog]:
    """The answers whose turns found the page, the latest first; a later correction is for those who got them."""
    uses = ReplySourceUsage.objects.filter(source_type=PAGE, source_ref=slug).order_by("-created_at")
    runs = [str(run_id) for run_id in uses.values_list("run_id", flat=True)[:most]]
    rows = ConversationLog.objects.filter(exchange_key__in=runs, direction="outbound")
    return list(rows.order_by("-message_at"))


def _book(run_id: UUID, refs: Sequence[Ref]) -> None:
    with transaction.atomic():
        known = set(_of_run(run_id).values_list("source_type", "source_ref"))
        room = MOST_A_RUN - len(known)
        fresh = [ref for ref in _of_this_community(refs) if ref not in known][: max(room, 0)]
        ReplySourceUsage.objects.bulk_create(
            [ReplySourceUsage(run_id=run_id, source_type=kind, source_ref=ref) for kind, ref in fresh],
            ignore_conflicts=True,
        )


def _of_run(run_id: UUID) -> Any:
    return ReplySourceUsage.objects.filter(run_id=run_id)


def _of_this_community(refs: Sequence[Ref]) -> Iterator[Ref]:
    """A backend's tool may bear the name of a search of ours; what is no page here is no source."""
    slugs = [ref for kind, ref in refs if kind == PAGE]
    there = (
        set(KnowledgePage.objects.filter(slug__in=slugs).values_list("slug", flat=True)) if slugs else set()
    )
    return (each for each in refs if each[0] != PAGE or each[1] in there)


def _refs(calls: Sequence[ExecutedCall]) -> Iterator[Ref]:
    for call in calls:
        if call.success:
            for record in _records(call.result.get("data")):
                yield from _READERS.get(call.name, _none)(record)


def _records(data: object) -> Iterator[dict[str, Any]]:
    listed = data.get("results") if isinstance(data, dict) else None
    # A truncated result may end in a note instead of a record.
    yield from (item for item in (listed if isinstance(listed, list) else ()) if isinstance(item, dict))


def _page(record: dict[str, Any]) -> Iterator[Ref]:
    slug = record.get("slug")
    if isinstance(slug, str) and slug.isprintable() and slug:
        yield PAGE, slug


def _message(record: dict[str, Any]) -> Iterator[Ref]:
    channel, ts = record.get("channel_id"), record.get("message_ts")
    if isinstance(channel, str) and isinstance(ts, str) and _CHANNEL.fullmatch(channel) and _TS.fullmatch(ts):
        yield MESSAGE, f"{channel}:{ts}"


def _evidence(record: dict[str, Any]) -> Iterator[Ref]:
    shown = record.get("evidence")
    links = (item.get("permalink") for item in _dicts(shown))
    for link in links:
        message = permalink_of(link) if isinstance(link, str) else None
        if message is not None:
            yield MESSAGE, message.ref


def _dicts(listed: object) -> Iterable[dict[str, Any]]:
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def _none(_record: dict[str, Any]) -> Iterator[Ref]:
    return iter(())


_READERS: Final = {"search_knowledge_base": _page, "search_slack_messages": _message, "who_knows": _evidence}
