"""What becomes of a result on its way into the transcript."""

from __future__ import annotations

import datetime
import decimal
import json
import uuid
from typing import Any

import pytest

from apps.agent.kernel.plain import compact, plain
from tests.fakes.kernel import Model, call, calls, play, says, tool, tool_messages

ANSWER = "Here is what the tool had to say about it."


class Mute:
    def __str__(self) -> str:
        raise RuntimeError


def transcript_of(result: Any) -> tuple[dict[str, Any], Any]:
    model = Model([calls(call("odd")), says(ANSWER), says(ANSWER)])
    run = play(model, tool("odd", lambda _a, _c: result))
    return tool_messages(model.requests[1])[0], run.calls[0]


def test_details_and_images_stay_out_of_the_transcript() -> None:
    picture = {"media_type": "image/png", "data": b"..."}
    sent, done = transcript_of(
        {
            "success": True,
            "data": {"error_detail": "inner", "n": 1},
            "error_detail": "outer",
            "images": [picture],
        }
    )
    assert sent == {"success": True, "data": {"n": 1}}
    assert done.images == (picture,)
    assert done.error_detail == "outer"


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (datetime.date(2024, 2, 29), "2024-02-29"),
        (uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        (decimal.Decimal("1.50"), "1.50"),
        (b"\xff\x00", "<2 bytes>"),
        ((1, 2), [1, 2]),
        (Mute(), "<Mute>"),
        ("a\x00b\ud800c", "a\ufffdb\ufffdc"),
        ({1: "x", None: "y"}, {"1": "x", "None": "y"}),
        (2**300, hex(2**300)),
        (True, True),
    ],
)
def test_anything_python_can_be_sent(value: Any, sent: Any) -> None:
    assert transcript_of({"success": True, "data": value})[0]["data"] == sent


def test_a_value_inside_itself() -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    assert plain(loop) == [1, "…"]


def test_the_same_value_twice_is_not_a_circle() -> None:
    shared = [1]
    assert plain([shared, shared]) == [[1], [1]]


def test_very_deep_and_very_branched_values() -> None:
    deep: Any = "core"
    for _ in range(5_000):
        deep = [deep]
    assert json.loads(compact(plain(deep)))
    bomb: Any = "x"
    for _ in range(60):
        bomb = [bomb, bomb]
    assert isinstance(plain(bomb), list)


def test_a_long_result_is_cut_and_says_so_first() -> None:
    rows = [{"id": number, "text": "é" * 900} for number in range(200)]
    sent, done = transcript_of({"data": rows, "success": True})
    assert next(iter(sent)) == "success"
    assert "more items were cut" in sent["data"][-1]
    assert len(done.result["data"]) == 200
