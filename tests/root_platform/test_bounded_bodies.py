"""A body that is too large, or never ends, is refused before anything keeps it."""

from __future__ import annotations

import asyncio

import pytest

from root_platform.bounded_bodies import BoundedBodies, Message, Receive, Scope, Send


async def reader(_scope: Scope, receive: Receive, send: Send) -> None:
    """Like Django: reads to the end of the body, then answers."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"read"})


def status(*pieces: bytes, declared: bytes | None = None, ends: bool = True) -> tuple[int, int]:
    """The status of the answer, and how many pieces were taken in for it."""
    sent: list[Message] = []
    waiting = list(pieces)

    async def receive() -> Message:
        if not waiting:
            await asyncio.sleep(60)
        return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting) or not ends}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [] if declared is None else [(b"content-length", declared)]
    asyncio.run(
        BoundedBodies(reader, largest=100, seconds=0.05)({"type": "http", "headers": headers}, receive, send)
    )
    return sent[0]["status"], len(pieces) - len(waiting)


def test_what_fits_passes() -> None:
    assert status(b"x" * 60, b"x" * 40) == (200, 2)


def test_a_declared_length_is_enough_to_refuse() -> None:
    assert status(b"x", declared=b"101") == (413, 0)


def test_an_undeclared_body_is_refused_where_it_passes_the_limit() -> None:
    assert status(*[b"x" * 40] * 9) == (413, 3)


def test_a_body_that_stops_coming_is_refused() -> None:
    assert status(b"x", ends=False) == (408, 1)


@pytest.mark.parametrize("declared", [b"", b"-5", b"abc"])
def test_a_senseless_length_is_left_to_the_server(declared: bytes) -> None:
    assert status(b"x", declared=declared) == (200, 1)
