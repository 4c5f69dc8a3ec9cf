"""A thousand models that misbehave at random: each run ends in an answer or an honest failure.

Never in silence, never in the syntax of a call, never above the ceiling, and every request on the way is one
that the strictest provider accepts (the scripted model refuses any other).
"""

from __future__ import annotations

import re
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.agent.kernel import ChatReply, KernelTool, Limits, RunResult, ToolCall
from tests.fakes.kernel import Model, down, play, tool

ANSWER = "The library opens at nine on weekdays and at ten on Saturdays."
PLAN = "Having a look.\n- checking hours\n- asking around\n- making tea"
JSON_CALL = '{"name": "find_page", "arguments": {"q": "x"}}'
PRETENDED = [
    JSON_CALL,
    f"[{JSON_CALL}, {JSON_CALL}]",
    f'{{"tool_calls": [{{"id": "1", "type": "function", "function": {JSON_CALL}}}]}}',
    f"<tool_call>{JSON_CALL}</tool_call>",
    f"<tool_call>{JSON_CALL[:30]}",
    "<function_calls><invoke name='find_page'><parameter name='q'>x</parameter></invoke></function_calls>",
    "<find_page><q>x</q></find_page>",
    f"[TOOL_CALLS][{JSON_CALL}]",
    f"<|tool_call|>{JSON_CALL}<|tool_call_end|>",
    f"```json\n{JSON_CALL}\n```",
    "```tool_code\nprint(find_page(q='x'))\n```",
    'Action: find_page\nAction Input: {"q": "x"}',
    '{"tool": "find_page", "q": "x"}',
    "{'name': 'find_page', 'arguments': {'q': 'x'}}",
    f"```json\n{JSON_CALL}\n{JSON_CALL}\n```",
    "[find_page(q='x'), find_page(q='y')]",
    "find_page(q='x')",
    '<find_page q="x"/>',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.lookup:0<|tool_call_argument_begin|>{"q":1}',
    "<tool_call>lookup\n<arg_key>q</arg_key>\n<arg_value>x",
    '<|channel|>commentary to=functions.lookup <|constrain|>json<|message|>{"q":1}<|call|>',
    '<invoke name="lookup">',
    "<function=lookup>",
    '<function name="lookup"/>',
    '<lookup>{"q": 1}</lookup>',
    "Tool: lookup(q)",
    'Action: lookup(q="x")',
    "await lookup(q)",
    'r = lookup("x")',
    'print(lookup("x"))',
    '{"lookup": {"q": 1}}',
    '[TOOL_CALLS]lookup[ARGS]{"q":1}',
    'functions.lookup:0{"q":1}',
    "<|im_start|>tool",
    "I ought to look it up.\n</think>",
    "<think>lookup it",
]
SYNTAX = re.compile(
    r'tool_call|function_calls|<invoke|TOOL_CALLS|find_page|lookup|"arguments"|tool_code|Action Input'
    r"|<\|\w|</?think|functions\.",
    re.IGNORECASE,
)
BLANK = [
    "",
    " \n",
    "\u200b",
    "👍",
    "🎉🎉",
    ":tada:",
    "…",
    "Sources: handbook",
    "Sources:\n- Handbook",
    "Ok.",
    "\x00",
]
GIANT = ["word " * 20_000, "x" * 100_000, "- a\n" * 20_000, "👍" * 20_000]
NAMES = ["find_page", "empty", "raises", "hidden", "giant", "refuses", "needs", "nope", "", "bad name<x>"]

texts = st.one_of(
    st.none(),
    st.sampled_from([*BLANK, PLAN, ANSWER, *GIANT]),
    st.sampled_from(PRETENDED),
    st.builds("{}\n{}".format, st.sampled_from([PLAN, ANSWER, "👍", ""]), st.sampled_from(PRETENDED)),
    st.text(alphabet="ab {}[]\"'`\n-👍\ud800\x00", max_size=40),
)
wanted = st.builds(
    ToolCall,
    id=st.sampled_from(["", "c1", "c1", "c1_2", "\ud800"]),
    name=st.sampled_from(NAMES),
    arguments=st.sampled_from(["{}", "", "null", "[1]", '{"q":', '{"q": 1}', '"{}"', "\ud800", "[" * 5_000]),
)
replies = st.builds(
    ChatReply,
    text=texts,
    tool_calls=st.one_of(st.just([]), st.lists(wanted, max_size=4)).map(tuple),
    finish_reason=st.sampled_from(["stop", "length", "tool_calls", ""]),
    reasoning_details=st.none() | st.just([{"data": "sig"}]),
)
steps = st.lists(
    st.one_of(replies, replies, replies, st.sampled_from([down(), down(retryable=False), KeyError("x")])),
    min_size=1,
    max_size=10,
)


def raises(_arguments: dict[str, Any], _context: object) -> Any:
    raise ValueError("\ud800 secret")


def gives(result: Any) -> Any:
    return lambda _arguments, _context: result


TOOLS: tuple[KernelTool, ...] = (
    tool("find_page"),
    tool("lookup"),
    tool("empty", gives({"success": True, "data": {"results": []}})),
    tool("raises", raises, mutates=True),
    tool("hidden", gives({"error": "HTTP 500 <html>"})),
    tool("giant", gives({"success": True, "data": ["y" * 3_000] * 30})),
    tool("refuses", gives(None)),
    tool("needs", parameters={"type": "object", "required": ["q"], "properties": {"q": {"type": "string"}}}),
)


@given(steps, st.integers(0, 3), st.booleans())
@settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_run_ends_well(script: list[Any], planned: int, with_tools: bool) -> None:
    model = Model(script)
    limits = Limits(max_planning_rounds=planned, sleep=lambda _seconds: None)
    result = play(model, *(TOOLS if with_tools else ()), limits=limits)
    says_something_readable(result)
    # A call to a tool nobody has, quoted amid prose, may be an example that somebody asked for.
    assert not (with_tools and SYNTAX.search(written_by_the_model(result))), result.text[:500]
    keeps_to_the_ceiling(result, model, planning=max(1, planned))
    is_honest_about_success(result)


def written_by_the_model(result: RunResult) -> str:
    return "\n".join(line for line in result.text.splitlines() if not line.startswith("- Using "))


def says_something_readable(result: RunResult) -> None:
    assert re.search(r"\w", result.text)
    assert not re.search("[\x00\ud800-\udfff]", result.text)
    assert "secret" not in result.text and "HTTP 500" not in result.text


def keeps_to_the_ceiling(result: RunResult, model: Model, *, planning: int) -> None:
    assert result.rounds <= planning + 1 + 3 + 2
    # The third counter is the composer's own, so one reply of the ceiling is never used.
    repeated = 2
    composers = 2
    assert result.rounds <= planning + 1 + repeated + composers
    assert result.llm_calls == len(model.requests) <= (planning + 1 + repeated + composers) * 3
    assert len(set(result.recoveries)) == len(result.recoveries)


def is_honest_about_success(result: RunResult) -> None:
    last = [call for call in result.calls if call.round == result.calls[-1].round]
    assert result.success is (result.failure is None and all(call.success for call in last))
    if result.failure:
        assert "again" in result.text or "stopped" in result.text
