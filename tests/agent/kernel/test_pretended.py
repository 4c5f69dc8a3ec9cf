"""Tool calls written as text are taken out; talk about them is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.agent.kernel.pretended import without_pretended_calls

CALL = '{"name": "search", "arguments": {"q": "x"}}'


def rest(text: str) -> str:
    return without_pretended_calls(text, tools={"search", "book", "find_page"}).strip()


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"[{CALL}, {CALL}]",
        '{"tool_calls": [{"function": {"name": "search", "arguments": "{}"}}]}',
        '{"type": "function", "function": {"name": "anything", "parameters": {}}}',
        '{"action": "search", "action_input": "x"}',
        '{"name": "search", "arguments": {"q": "cut of',
        f"```json\n{CALL}\n```",
        f"```\n{CALL}",
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"<tool_call>{CALL}",
        f"```xml\n<tool_call>{CALL}</tool_call>\n```",
        f"<tool_call>\n```json\n{CALL}\n```\n</tool_call>",
        '<function=search>{"q": 1}</function>',
        '<invoke name="search"><parameter name="q">x</parameter></invoke>',
        '<function_calls>\n<invoke name="search"></invoke>\n</function_calls>',
        f"<|tool_call|>{CALL}<|tool_call_end|>",
        f"<|python_tag|>{CALL}",
        f"[TOOL_CALLS] [{CALL}]",
        'search(q="x")',
        "`search(q)`",
        '```tool_code\nprint(default_api.search(q="x"))\n```',
        '```python\nsearch(q="x")\n```',
        "<find_page>\n<query>x</query>\n</find_page>",
        "<find_page><query>x",
        'to=functions.search {"q":1}',
        '<|channel|>commentary to=functions.search <|message|>{"q":1}<|call|>',
        'Action: search\nAction Input: {"q": 1}',
        "<tool_call>\n",
        f"{CALL}\n" * 22,
        f"```json\n{CALL}\n{CALL}\n```",
        "```\nsearch(q='a')\nbook(room=3)\n```",
        "[search(q='a'), book(room=3)]",
        '<find_page room="3"/>',
        '{"tool": "book", "room": 3}',
        "{'name': 'book', 'arguments': {'room': 3}}",
        '<｜tool▁calls▁begin｜>function<｜tool▁sep｜>book\n{"r":3}<｜tool▁calls▁end｜>',
        '<tool_response>{"success": true}</tool_response>',
        "<tool_response>\nbooked\n</tool_response>",
        '{"steps": [{"id": 1, "name": "book", "arguments": {"r": 3}}]}',
    ],
)
def test_nothing_is_left_of_a_call(text: str) -> None:
    assert rest(text) == ""


@pytest.mark.parametrize("tail", [f"<tool_call>{CALL}</tool_call>", f"```json\n{CALL}\n```", CALL])
def test_an_announcement_loses_its_call(tail: str) -> None:
    assert rest(f"Let me look that up.\n{tail}") == "Let me look that up."


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"{CALL}\nThat is done now.", "That is done now."),
        (f"Now {CALL} for you.", "Now  for you."),
        (f"Now [{CALL}, {CALL}]", "Now"),
        ('Now {"name": "search", "arguments": {"q', "Now"),
        ('Now {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}', "Now"),
        ("That is done. </tool_call>", "That is done."),
        ("Now.\nbook(room=3)\nOne moment.", "Now.\n\nOne moment."),
        ("Now `book(room=3)`", "Now"),
        ("Now\n[search(q='a'), book(room=3)]", "Now"),
        ('Now <find_page room="3"/> there.', "Now  there."),
        ('Now {"tool": "book", "room": 3}', "Now"),
        ("Now: {'name': 'book', 'arguments': {'r': 3}} there.", "Now:  there."),
        ('Now {"steps": [{"name": "book", "arguments": {"r": 3}}]} there.', "Now  there."),
        ("<find_page>a</find_page> Open at nine. <find_page>b</find_page>", "Open at nine."),
        ('Now\nbook {"room": 3}\nthere.', "Now\n\nthere."),
        ("Thought: I need it.\nAction: search\nAction Input: x", "Thought: I need it."),
    ],
)
def test_words_around_a_call_stay(text: str, left: str) -> None:
    assert rest(text) == left


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"tools": [{"name": "search", "parameters": {}}]}\n```',
        "Action: search\nand then think about it.",
        'A person: {"name": "Ada", "input": "x"} is all.',
        "The office is open until six.",
        '{"open": true, "until": 18}',
        '```json\n{"name": "Ada", "input": "x"}\n```',
        "Write <tool_call> before it, as the manual says.",
        "```xml\n<tool_call>example</tool_call>\n```",
        "Call `search(q)` to try it, it is quick.",
        "In Python:\n```python\nprint(1)\n```\nThat prints one.",
        '{"name": "broken',
        "[1] The handbook says so.",
        "Wrap the call in <tool_call> and end with </tool_call>, so that the parser sees it. Then run it.",
        "Mistral puts [tool_calls] before its calls. To parse them, split on the marker.",
        "Some models write <|tool_call|> first. Then they go on.",
        "Add `to=functions.x` to the header. Afterwards restart the server.",
        "Put it between <tool_response> and </tool_response>.",
        'The search found {"name": "Ada", "room": {"id": 3}} there.',
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert rest(text) == text


@given(st.text(alphabet='<>/{}[]"`\n tool_call:name', max_size=300))
def test_any_text_comes_through(text: str) -> None:
    assert len(without_pretended_calls(text)) <= len(text)


@pytest.mark.parametrize(
    "piece",
    [
        "<tool_call",
        "<tool_call>",
        "<tool_call>a</tool_call",
        "```\n",
        "```a\n<tool_call>x\n```\n",
        "{",
        '{"name":',
        "[TOOL_CALLS",
        "search(",
        '{"name": "search", "arguments": ',
        '[{"name": "search", "arguments": {}}, ',
        "<find_page>",
        "to=functions.",
        "Action: search\n",
        "<tool_call> and ",
        "<think>",
        "[search(",
        "[[",
        '{"tool": "search", ',
        "{'name': 'search', ",
        "search(\n",
    ],
)
def test_long_repetitions_are_no_burden(piece: str) -> None:
    """Quadratic work on these would take minutes."""
    without_pretended_calls(piece * 20_000, tools={"search"})
