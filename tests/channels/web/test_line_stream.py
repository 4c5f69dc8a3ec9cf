"""Lines pass from the turn's threads to the response, quiet spells are bridged, and nothing escapes as a crash."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any, NoReturn

import pytest

from apps.agent.turns import TurnOutcome
from apps.channels.json_http import as_json
from apps.channels.web.listener import WebListener
from apps.channels.web.stream import PROGRESS_WAITING, LineFeed, LineStream, last_line
from apps.foundation.errors import Forbidden

ANSWER = {"type": "answer", "response": "x"}


async def _all(stream: LineStream) -> list[bytes]:
    return [chunk async for chunk in stream]


def test_a_quiet_spell_is_bridged_with_bare_newlines() -> None:
    async def scenario() -> list[bytes]:
        feed = LineFeed()
        chunks = aiter(LineStream(feed, WebListener(), heartbeat=0.01))
        first = await anext(chunks)
        feed.put(ANSWER)
        return [first, *[chunk async for chunk in chunks]]

    first, *_, last = asyncio.run(scenario())
    assert first == b"\n"
    assert json.loads(last) == ANSWER


def test_it_ends_with_the_last_line_and_nobody_has_left() -> None:
    async def scenario() -> tuple[list[bytes], bool]:
        feed, listener = LineFeed(), WebListener()
        for line in ({"type": "phase"}, ANSWER, {"type": "progress"}):
            feed.put(line)
        return await _all(LineStream(feed, listener)), listener.left()

    chunks, left = asyncio.run(scenario())
    assert [json.loads(chunk)["type"] for chunk in chunks] == ["phase", "answer"]
    assert not left


@pytest.mark.parametrize("began", [True, False])
def test_closing_early_means_the_listener_left(began: bool) -> None:
    async def scenario() -> bool:
        feed, listener = LineFeed(), WebListener()
        stream = LineStream(feed, listener)
        feed.put({"type": "phase"})
        if began:
            await anext(aiter(stream))
        stream.close()
        return listener.left()

    assert asyncio.run(scenario())


def test_a_flood_of_progress_does_not_fill_the_memory() -> None:
    async def scenario() -> list[bytes]:
        feed = LineFeed()
        for number in range(PROGRESS_WAITING * 4):
            feed.put({"type": "progress", "id": "a", "message": str(number)})
        feed.put(ANSWER)
        return await _all(LineStream(feed, WebListener()))

    chunks = asyncio.run(scenario())
    assert len(chunks) == PROGRESS_WAITING + 1
    assert json.loads(chunks[-1]) == ANSWER


def test_lines_after_the_loop_closed_are_dropped_quietly() -> None:
    async def made() -> LineFeed:
        return LineFeed()

    asyncio.run(made()).put(ANSWER)


def test_an_intended_error_is_told() -> None:
    def refused() -> TurnOutcome:
        raise Forbidden("This community is not active.")

    assert last_line(refused) == {
        "type": "error",
        "code": "forbidden",
        "message": "This community is not active.",
    }


def test_an_accident_is_told_without_its_details() -> None:
    def broken() -> NoReturn:
        raise ValueError("password=hunter2")

    line = last_line(broken)
    assert (line["type"], line["code"]) == ("error", "internal")
    assert "hunter2" not in str(line)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": float("nan"), "b": [float("inf")]}, b'{"a": null, "b": [null]}'),
        ({"a": "\ud800"}, b'{"a": "\\ud800"}'),
        ({"a": "line\nbreak\u2028"}, b'{"a": "line\\nbreak\\u2028"}'),
    ],
)
def test_every_line_is_strict_json_on_one_line(value: Any, text: bytes) -> None:
    assert as_json(value) == text


def test_a_stream_nobody_began_to_read_and_nobody_closed_means_the_listener_left() -> None:
    async def scenario() -> bool:
        listener = WebListener()
        stream = LineStream(LineFeed(), listener)
        aiter(stream)
        del stream
        return listener.left()

    assert asyncio.run(scenario())


def test_a_cancelled_request_gets_no_line_and_its_listener_has_left() -> None:
    async def scenario() -> tuple[list[bytes], bool]:
        feed, listener = LineFeed(), WebListener()
        feed.put(ANSWER)
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0)
        # As after sync_to_async: the cancellation was swallowed, only the task remembers.
        return await _all(LineStream(feed, listener)), listener.left()

    assert asyncio.run(scenario()) == ([], True)
