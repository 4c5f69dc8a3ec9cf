"""SIGTERM to a web process: what it was asked is answered, nobody is left behind, the port is free."""

from __future__ import annotations

import signal
import socket
import threading
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.fakes.llm import says
from tests.plugins.community import Community
from tests.root_platform.asking import Asked
from tests.root_platform.processes import PATIENCE, Processes, Web, alive, until

pytestmark = pytest.mark.serial


class SlowModel:
    """Answers when told to."""

    def __init__(self, community: Community) -> None:
        self.asked, self.told = threading.Event(), threading.Event()
        community.llm.answer_with(self._answer)

    def _answer(self, _request: Any, _headers: Any) -> Any:
        self.asked.set()
        self.told.wait(60)
        return says("Hello to you, and welcome.")


def refuses(web: Web) -> bool:
    """Is the port closed to newcomers?"""
    parts = urlsplit(web.base_url)
    try:
        socket.create_connection((str(parts.hostname), int(parts.port or 0)), timeout=5).close()
    except OSError:
        return True
    return False


def is_free(web: Web) -> bool:
    parts = urlsplit(web.base_url)
    try:
        socket.create_server((str(parts.hostname), int(parts.port or 0))).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize("signals", [1, 2])
def test_a_turn_in_flight_is_answered_first(house: Processes, community: Community, signals: int) -> None:
    web, model = house.web(), SlowModel(community)
    turn = Asked(web)
    assert model.asked.wait(60), turn.reply or turn.error
    for _ in range(signals):
        web.process.send_signal(signal.SIGTERM)
        until(lambda: refuses(web), "newcomers are refused")
    assert web.process.poll() is None
    model.told.set()
    assert turn.answer().json()["response"] == "Hello to you, and welcome."
    web.process.wait(PATIENCE)
    assert is_free(web) and "Traceback" not in house.log.read_text()


def test_an_idle_process_ends_at_once_and_takes_its_workers_along(
    house: Processes, community: Community
) -> None:
    web = house.web()
    everyone = house.family(web.process.pid)
    web.process.send_signal(signal.SIGTERM)
    web.process.wait(PATIENCE)
    until(lambda: not any(map(alive, everyone)), "nobody is left")
    assert is_free(web) and "Traceback" not in house.log.read_text()


def test_a_port_that_is_taken_is_a_sentence(house: Processes) -> None:
    taken = house.web()
    port = str(urlsplit(taken.base_url).port)
    second = house.start(
        "-m", "uvicorn", "root_platform.asgi:application", "--host", "127.0.0.1", "--port", port
    )
    assert second.wait(PATIENCE) != 0
    log = house.log.read_text()
    assert "address already in use" in log and "Traceback" not in log
