"""Which queue is handled by which function; each app's ``jobs`` module registers its own (contract §13)."""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.module_loading import autodiscover_modules

from apps.foundation import queues
from apps.tenancy.jobs.job import Job

Run = Callable[[Job], None]
GaveUp = Callable[[Job, str], None]


@dataclass(frozen=True, slots=True)
class Handler:
    """What runs a job, and what is told when its last attempt is lost."""

    run: Run
    gave_up: GaveUp | None = None


_handlers: dict[str, Handler] = {}


def handler(queue: str, *, gave_up: GaveUp | None = None) -> Callable[[Run], Run]:
    """Registers the decorated function for a queue.

    `gave_up(job, error)` is called once when a job has failed for good, also when its worker died. It
    runs inside the transaction that closes the row, so it writes to the database and calls nobody.
    """
    queues.queue(queue)

    def register(run: Run) -> Run:
        known = _handlers.get(queue)
        if known is not None and known.run.__qualname__ != run.__qualname__:
            raise ValueError(f"queue {queue!r} already has a handler")
        _handlers[queue] = Handler(run=run, gave_up=gave_up)
        return run

    return register


def handler_for(queue: str) -> Handler:
    """The handler of a queue; raises :class:`LookupError` when no app registered one."""
    try:
        return _handlers[queue]
    except KeyError:
        raise LookupError(f"no app handles the queue {queue!r}") from None


def handled() -> list[queues.Queue]:
    """The rows of all queues with a handler, in the order of the table."""
    return [row for row in queues.QUEUES.values() if row.name in _handlers]


def autodiscover() -> None:
    """Imports the ``jobs`` module of every installed app that has one."""
    autodiscover_modules("jobs")
