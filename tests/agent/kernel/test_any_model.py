"""Whatever a model does, the bounds hold and the transcript stays one a provider accepts."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.agent.kernel import ChatReply, Limits, ToolCall
from tests.fakes.kernel import Model, down, play, tool

TEXTS = st.sampled_from(
    ["", "👍", "A proper answer to the question.", "- a\n- b\n- c", '{"name":"ok","arguments":{}}']
)
CALLS = st.builds(
    ToolCall,
    id=st.sampled_from(["", "call_1", "call_1_2", "\ud800"]) | st.text(max_size=5),
    name=st.sampled_from(["ok", "bad", "nope"]) | st.text(max_size=5),
    arguments=st.sampled_from(["{}", "", "null", '{"q":', '{"q":1}']) | st.text(max_size=8),
)
REPLIES = st.builds(
    ChatReply,
    text=st.none() | TEXTS | st.text(max_size=40),
    tool_calls=st.lists(CALLS, max_size=6).map(tuple),
    finish_reason=st.sampled_from(["stop", "length", "tool_calls"]),
    reasoning_details=st.none() | st.just([{"data": "sig"}]),
)
STEPS = REPLIES | st.just(down()) | st.just(down(retryable=False))


def bad(_arguments: dict[str, Any], _context: object) -> Any:
    raise ValueError("\ud800")


@given(st.lists(STEPS, min_size=1, max_size=12), st.integers(0, 3))
@settings(max_examples=150, deadline=None)
def test_bounds_hold(steps: list[Any], planned: int) -> None:
    model = Model(steps)
    limits = Limits(max_planning_rounds=planned, sleep=lambda _seconds: None)
    result = play(model, tool("ok"), tool("bad", bad), limits=limits)
    rounds = max(1, planned) + 1
    assert result.rounds <= rounds
    assert result.llm_calls == len(model.requests) <= rounds * 3
    assert result.text.strip()
    assert result.success is (result.failure is None and not _last_batch_failed(result.calls))


def _last_batch_failed(calls: Any) -> bool:
    return any(not call.success for call in calls if call.round == calls[-1].round)
