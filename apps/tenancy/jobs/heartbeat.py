"""The sign of life of the workers, for readiness checks (contract §14.3)."""

import logging

from redis.exceptions import RedisError

from apps.foundation import broker

log = logging.getLogger(__name__)

KEY = "root:worker:heartbeat"
EVERY_SECONDS = 5.0
LIVES_SECONDS = 15


def write() -> None:
    """Written by the loop that consumes nudges, so that a stuck loop looks dead."""
    try:
        broker.client().set(KEY, "1", ex=LIVES_SECONDS)
    except (RedisError, broker.BrokerDown):
        log.warning("the worker's heartbeat could not be written")


def worker_seen() -> bool:
    """Did a worker show itself lately? False as well when Redis is absent or down."""
    try:
        return bool(broker.client().exists(KEY))
    except (RedisError, broker.BrokerDown):
        return False
