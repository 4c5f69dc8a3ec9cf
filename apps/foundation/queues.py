"""Every job queue as one frozen row; routing, schedules and workers derive from it (contract §13)."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from apps.foundation.environment import env

BEAT_SECONDS = 5.0
"""How often a running job says that it is alive."""

SILENT_SECONDS = 30.0
"""A claim that has said nothing for this long is taken back."""

MINUTE = 60
HOUR = 60 * MINUTE


class UnknownQueue(LookupError):
    """A queue name that no row below carries: a mistake in the calling code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """How long a failed attempt rests before the next one."""

    kind: Literal["none", "exponential"] = "none"
    base_seconds: float = 0.0

    def after(self, attempt: int) -> timedelta:
        """The rest after attempt number `attempt` (the first is 1)."""
        if self.kind == "none":
            return timedelta(0)
        return timedelta(seconds=self.base_seconds * 2.0 ** (max(attempt, 1) - 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """One queue: names are stable once deployed, or rows would be stranded."""

    name: str
    concurrency: int
    attempts: int = 1
    backoff: Backoff = Backoff()
    schedule_seconds: int | None = None
    max_seconds: int
    without_redis: Literal["inline", "refuse"] = "inline"
    inactive: Literal["rest", "skip", "handle"] = "rest"
    """A job of an inactive tenant waits for better days, ends without a run (a later sweep asks again), or is its
    handler's to decide, since something of it must be recorded or told."""
    arrives_with: str | None = None
    """What brings the handler, while no app has one: rows are kept, and no process is started."""


def _exp(base_seconds: float) -> Backoff:
    return Backoff(kind="exponential", base_seconds=base_seconds)


_ROWS = (
    Queue(
        name="email-inbound",
        concurrency=4,
        attempts=5,
        backoff=_exp(10),
        max_seconds=15 * MINUTE,
        without_redis="refuse",
        inactive="handle",
        arrives_with="the mail channel",
    ),
    Queue(
        name="conversation-memory",
        concurrency=2,
        attempts=3,
        backoff=_exp(5),
        max_seconds=5 * MINUTE,
        arrives_with="conversation memory",
    ),
    Queue(
        name="conversation-work-saved",
        concurrency=2,
        attempts=3,
        backoff=_exp(10),
        max_seconds=5 * MINUTE,
        arrives_with="work-saved estimates",
    ),
    Queue(
        name="follow-up-sweep",
        concurrency=1,
        schedule_seconds=MINUTE,
        max_seconds=2 * MINUTE,
        inactive="skip",
        arrives_with="follow-ups",
    ),
    Queue(
        name="slack-knowledge-ingest",
        concurrency=2,
        attempts=3,
        backoff=_exp(5),
        max_seconds=5 * MINUTE,
    ),
    Queue(
        name="slack-thread-distill",
        concurrency=2,
        attempts=2,
        backoff=_exp(60),
        max_seconds=10 * MINUTE,
    ),
    Queue(
        name="embedding-audit",
        concurrency=1,
        attempts=2,
        backoff=_exp(60),
        schedule_seconds=5 * MINUTE,
        max_seconds=15 * MINUTE,
        inactive="skip",
    ),
    Queue(
        name="knowledge-source-scheduler",
        concurrency=1,
        schedule_seconds=MINUTE,
        max_seconds=2 * MINUTE,
        inactive="skip",
    ),
    # Half an hour is also the age at which a running sync run counts as abandoned (§11.2).
    Queue(
        name="knowledge-source-sync",
        concurrency=3,
        attempts=4,
        backoff=_exp(30),
        max_seconds=30 * MINUTE,
        without_redis="refuse",
        inactive="handle",
    ),
    Queue(
        name="slack-knowledge-extraction",
        concurrency=2,
        attempts=3,
        backoff=_exp(60),
        schedule_seconds=HOUR,
        max_seconds=30 * MINUTE,
        inactive="skip",
    ),
    Queue(
        name="channel-join-sweep",
        concurrency=2,
        attempts=3,
        backoff=_exp(5),
        schedule_seconds=6 * HOUR,
        max_seconds=30 * MINUTE,
        inactive="skip",
        arrives_with="the Slack channel",
    ),
    Queue(
        name="slack-admin-broadcast",
        concurrency=1,
        max_seconds=2 * HOUR,
        inactive="handle",
        arrives_with="administrators' messages",
    ),
    Queue(
        name="principal-roster-sweep",
        concurrency=2,
        attempts=3,
        backoff=_exp(60),
        schedule_seconds=6 * HOUR,
        max_seconds=30 * MINUTE,
        inactive="skip",
    ),
    Queue(
        name="reply-mention-sweep",
        concurrency=1,
        schedule_seconds=HOUR,
        max_seconds=15 * MINUTE,
        inactive="skip",
        arrives_with="the Slack channel",
    ),
    Queue(name="queue-metrics", concurrency=1, schedule_seconds=MINUTE, max_seconds=MINUTE, inactive="skip"),
    Queue(
        name="channel-turns",
        concurrency=8,
        attempts=3,
        backoff=_exp(5),
        max_seconds=15 * MINUTE,
        inactive="handle",
        arrives_with="the Slack channel",
    ),
    Queue(
        name="notifications",
        concurrency=2,
        attempts=3,
        backoff=_exp(5),
        # Above the two minutes a backend has for one escalation (§7.2).
        max_seconds=3 * MINUTE,
        inactive="handle",
    ),
    Queue(
        name="follow-up-run",
        concurrency=2,
        max_seconds=15 * MINUTE,
        inactive="handle",
        arrives_with="follow-ups",
    ),
)

QUEUES: dict[str, Queue] = {row.name: row for row in _ROWS}


def queue(name: str) -> Queue:
    """The row of that name."""
    try:
        return QUEUES[name]
    except KeyError:
        raise UnknownQueue(f"no queue is called {name!r}") from None


def width(row: Queue) -> int:
    """How many of its jobs one worker runs at once; an operator sets that of `channel-turns`."""
    return env().root_channel_turns_concurrency if row.name == "channel-turns" else row.concurrency
