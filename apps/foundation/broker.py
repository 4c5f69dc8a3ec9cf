"""Celery and its Redis: they carry nudges that name a queue, and nothing else (contract §13)."""

from functools import lru_cache
from urllib.parse import parse_qsl, urlencode, urlsplit

from celery import Celery
from kombu.exceptions import KombuError
from kombu.pools import connections
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from apps.foundation.environment import env
from apps.foundation.errors import Unavailable

NUDGE = "root.nudge"
_SOCKET_SCHEMES = ("unix", "redis+socket", "socket")


class BrokerDown(Unavailable):
    """Redis is not configured, or did not answer in time."""

    def __init__(self) -> None:
        super().__init__("The queue server cannot be reached right now.")


def configured() -> bool:
    """Is there a Redis to nudge through at all?"""
    return env().redis_url is not None


def celery_address(url: str) -> str:
    """A Redis URL as Celery spells it: sockets and their database number are written differently."""
    parts = urlsplit(url)
    if parts.scheme not in _SOCKET_SCHEMES:
        return url
    given = dict(parse_qsl(parts.query))
    query = urlencode({"virtual_host": given.get("db") or given.get("virtual_host") or "0"})
    return f"redis+socket://{parts.path}?{query}"


def client_address(url: str) -> str:
    """The same URL as redis-py spells it."""
    parts = urlsplit(url)
    if parts.scheme not in _SOCKET_SCHEMES:
        return url
    given = dict(parse_qsl(parts.query))
    return f"unix://{parts.path}?{urlencode({'db': given.get('db') or given.get('virtual_host') or '0'})}"


def client() -> Redis:
    """A client that gives up soon: whoever waits for it may hold a request."""
    url = env().redis_url
    if url is None:
        raise BrokerDown
    return _client(client_address(url))


@lru_cache(maxsize=4)
def _client(address: str) -> Redis:
    return Redis.from_url(
        address,
        socket_connect_timeout=1.0,
        socket_timeout=2.0,
        retry=Retry(NoBackoff(), 1),
        client_name="root",
    )


def reachable() -> bool:
    """Does Redis answer right now?"""
    try:
        return bool(client().ping())
    except (RedisError, BrokerDown):
        return False


def nudge(queue: str, *, wanted: int, limit: int) -> int:
    """Sends up to `wanted` nudges while fewer than `limit` wait; returns how many.

    Asking for the length first also finds a dead Redis within the client's own short limits, which
    Celery's connection handling does not offer. Raises :class:`BrokerDown`.
    """
    try:
        # The client is typed for its asynchronous twin too; ours answers at once.
        room = limit - int(client().llen(queue))
        count = max(0, min(wanted, room))
        if count:
            _send(queue, count)
    except (RedisError, KombuError, OSError) as error:
        raise BrokerDown from error
    return count


def _send(queue: str, count: int) -> None:
    pool = connections[app.connection_for_write(celery_address(env().redis_url or ""))]
    with pool.acquire(block=True, timeout=2) as connection:
        for _ in range(count):
            app.send_task(
                NUDGE, args=[queue], queue=queue, connection=connection, ignore_result=True, retry=False
            )


def _build() -> Celery:
    # No fix-ups: connections are returned by the code that runs a job, also where Celery is not involved.
    built = Celery("root", fixups=[], set_as_current=True)
    url = env().redis_url
    built.conf.update(
        broker_url=celery_address(url) if url else None,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        # Nudges are acknowledged before they run, so nothing is ever handed out twice after a timeout.
        broker_transport_options={
            "visibility_timeout": 12 * 3600,
            # Nor are they noted down in Redis meanwhile. A note that could not be crossed out, since Redis had gone at
            # that moment, kept its place in the worker for good: it asked for no other nudge, and so never noticed
            # that its connection was lost.
            "ack_emulation": False,
            "socket_connect_timeout": 2.0,
            "socket_timeout": 30.0,
            "max_retries": 1,
        },
        task_acks_late=False,
        task_ignore_result=True,
        task_store_errors_even_if_ignored=False,
        result_backend=None,
        result_expires=None,
        task_serializer="json",
        accept_content=["json"],
        task_create_missing_queues=True,
        worker_pool="threads",
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_send_task_events=False,
        worker_enable_remote_control=False,
        timezone="UTC",
        enable_utc=True,
    )
    return built


app = _build()
