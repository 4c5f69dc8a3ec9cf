"""The history of public channels into the index, a page at a time (contract §8.2).

What is still to be read stands in the rows of the channels, so that a run can end anywhere. One job a community
does the reading: its pace is that of the token, whichever channel comes next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db import transaction

from apps.foundation.clock import now
from apps.foundation.errors import NotFound
from apps.foundation.text import one_line
from apps.integrations.slack import directory, history
from apps.integrations.slack.failure import SlackFailure
from apps.integrations.slack.reading import ts_key, ts_of
from apps.knowledge.models import SlackChannelReach
from apps.knowledge.slack_index.events import QUEUE, spoken, take_in
from apps.knowledge.slack_index.lookup import Lookup
from apps.knowledge.slack_index.pace import Pace
from apps.tenancy import jobs
from apps.tenancy.jobs import GiveUp, Job, Later

KIND: Final = "history"
KEY: Final = "history"
MOST_TROUBLE: Final = 10
TROUBLE_REST: Final = timedelta(minutes=1)
Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Requested:
    """Channels whose history is to be read, and those that are in the index from their first message on."""

    wanted: Sequence[str]
    complete: Sequence[str]


def request_history(*, channel: str | None = None, again: bool = False) -> Requested:
    """Asks for the history of every public channel, or of the one with this id or name.

    Reading goes on where it stopped; ``again`` begins anew. Raises ``SlackFailure``, or ``NotFound`` for a channel
    that is not public.
    """
    channels = [each for each in directory.public_channels() if channel is None or _is_called(each, channel)]
    if channel is not None and not channels:
        raise NotFound("There is no such public channel.")
    wanted: list[str] = []
    complete: list[str] = []
    with transaction.atomic():
        for each in channels:
            (wanted if _want(each, again=again) else complete).append(each.name)
        if wanted:
            jobs.enqueue(QUEUE, key=KEY, payload={"kind": KIND})
    return Requested(wanted=wanted, complete=complete)


def step(job: Job) -> None:
    """Reads one page and asks for more time, until nothing is left that somebody wanted."""
    state = job.checkpoint or {}
    pace = Pace.read(state.get("pace"))
    row = SlackChannelReach.objects.filter(wanted=True).order_by("channel_name", "channel_id").first()
    if row is None:
        return
    try:
        _read_page(job, row, pace=pace)
    except SlackFailure as failure:
        _hindered(job, row, failure=failure, pace=pace, trouble=int(state.get("trouble", 0)) + 1)
        return
    pace = pace.after_success()
    job.save_checkpoint({"pace": pace.as_json()})
    if SlackChannelReach.objects.filter(wanted=True).exists():
        raise Later(timedelta(seconds=pace.seconds))


def _is_called(channel: directory.SlackChannel, given: str) -> bool:
    return given.removeprefix("#") in (channel.id, channel.name)


def _want(channel: directory.SlackChannel, *, again: bool) -> bool:
    row: SlackChannelReach = SlackChannelReach.objects.get_or_create(channel_id=channel.id)[0]
    row.channel_name = channel.name
    if again:
        row.complete, row.cursor, row.threads = False, None, []
    row.wanted = not row.complete
    row.last_error, row.paused_until = "", None
    row.save()
    return row.wanted


def _hindered(job: Job, row: SlackChannelReach, *, failure: SlackFailure, pace: Pace, trouble: int) -> None:
    """Slack wants a rest, or cannot answer now, or never will for this channel."""
    if failure.is_dead_token:
        _note(row, failure.message)
        raise GiveUp(failure.message) from None
    if failure.retry_after is None and not failure.retryable:
        # Most often the agent is not in the channel; the others are read all the same.
        _note(row, failure.message, wanted=False)
        raise Later(timedelta(seconds=pace.seconds)) from None
    if failure.retry_after is not None:
        rest = timedelta(seconds=max(failure.retry_after, 1.0))
        job.save_checkpoint({"pace": pace.after_objection().as_json()})
        _note(row, "", paused_until=now() + rest)
        raise Later(rest) from None
    _note(row, failure.message)
    if trouble >= MOST_TROUBLE:
        raise failure
    job.save_checkpoint({"pace": pace.as_json(), "trouble": trouble})
    raise Later(TROUBLE_REST) from None


def _note(row: SlackChannelReach, trouble: str, **changes: Any) -> None:
    SlackChannelReach.objects.filter(pk=row.pk).update(last_error=one_line(trouble), **changes)


def _read_page(job: Job, row: SlackChannelReach, *, pace: Pace) -> None:
    if row.threads:
        _read_thread(job, row, pace=pace)
        return
    page = history.channel_page(row.channel_id, before=row.cursor, limit=pace.size)
    _index(page.messages, row)
    times = [ts for message in page.messages if (ts := ts_of(message, "ts")) is not None]
    with job.fenced():
        here = _locked(row)
        here.threads = [[ts_of(each, "ts"), ""] for each in page.messages if _has_replies(each)]
        here.messages_seen += len(page.messages)
        _widen(here, times)
        here.cursor = min(times, key=ts_key) if times and page.has_more else None
        _settle(here)


def _read_thread(job: Job, row: SlackChannelReach, *, pace: Pace) -> None:
    thread_ts, cursor = row.threads[0]
    page = history.thread_page(row.channel_id, thread_ts, cursor=cursor, limit=pace.size)
    replies = [each for each in page.messages if ts_of(each, "ts") != thread_ts]
    _index(replies, row)
    with job.fenced():
        here = _locked(row)
        more = [[thread_ts, page.next_cursor]] if page.next_cursor else []
        here.threads = [*more, *here.threads[1:]]
        here.messages_seen += len(replies)
        _settle(here)


def _index(messages: Sequence[Json], row: SlackChannelReach) -> None:
    """Stores what people said. Files are looked at by jobs of their own, in their turn; vectors come with the audit."""
    lookup = Lookup.here()
    for message in messages:
        said = spoken(
            {
                **message,
                "channel": row.channel_id,
                "channel_name": row.channel_name,
                "channel_type": "channel",
            }
        )
        if said is None:
            continue
        outcome = take_in(said, lookup=lookup, live=False, finish=False)
        if said["files"] and outcome in ("created", "updated"):
            key = f"message:{said['channel']}:{said['ts']}:{said['edited_ts'] or ''}"
            jobs.enqueue(QUEUE, key=key, payload={"kind": "message", "message": said})


def _locked(row: SlackChannelReach) -> SlackChannelReach:
    locked: SlackChannelReach = SlackChannelReach.objects.select_for_update(of=("self",)).get(pk=row.pk)
    return locked


def _widen(row: SlackChannelReach, times: Sequence[str]) -> None:
    """The index now reaches from the oldest of these to the newest it had."""
    for ts in times:
        if row.oldest_ts is None or ts_key(ts) < ts_key(row.oldest_ts):
            row.oldest_ts = ts
        if row.newest_ts is None or ts_key(ts) > ts_key(row.newest_ts):
            row.newest_ts = ts


def _settle(row: SlackChannelReach) -> None:
    if row.cursor is None and not row.threads:
        row.complete, row.wanted = True, False
    row.paused_until, row.last_error = None, ""
    row.save()


def _has_replies(message: Json) -> bool:
    count = message.get("reply_count")
    return isinstance(count, int) and count > 0 and ts_of(message, "ts") is not None
