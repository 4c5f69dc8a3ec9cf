"""A text in which an offered tool's name stands beside arguments acts out a call; talk and other code do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.agent.kernel.pretended import acts_out_a_call
from apps.agent.kernel.thinking import without_end_tokens, without_thinking

TOOLS = {"lookup", "search", "book", "events", "find_page"}
ACTED_OUT = [
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.lookup:0<|tool_call_argument_begin|>{"q":1}',
    "<tool_call>lookup\n<arg_key>q</arg_key>\n<arg_value>x</arg_value>",
    '<|channel|>commentary to=functions.lookup <|constrain|>json<|message|>{"q":1}',
    'commentary to=functions.lookup {"q":1}',
    '<invoke name="lookup">',
    "<function=lookup>",
    '<function name="lookup"/>',
    '<lookup>{"q": 1}</lookup>',
    'Tool: lookup(q="x")',
    "Tool: lookup(...)",
    "Action: lookup(...)",
    "Action: lookup\nAction Input: x",
    "await lookup(q)",
    'await lookup("x")',
    "r = lookup(...)",
    'r = lookup("x")',
    "print(lookup(...))",
    'print(lookup("x"))',
    '{"lookup": {"q": 1}}',
    '[{"lookup": {"q": 1}}]',
    '```json\n{\n "lookup": {"q": 1}\n}\n```',
    '[TOOL_CALLS]lookup[ARGS]{"q":1}',
    'functions.lookup:0{"q":1}',
    'lookup[{"q": 1}]',
    'call:lookup{q:<|"|>x<|"|>}',
    "<|tool_call>call:lookup{q:1}<tool_call|>",
    "lookup({q: 1})",
    'I will do lookup(q="x") now.',
    'Sure. `lookup("x")`',
    'lookup\n```json\n{"q": 1}\n```',
    'Calling lookup with arguments {"q": 1}',
    'Calling find_page with {"q": 1} now',
    "const r = await lookup({q: 1});",
    'tools.lookup("x")',
    'lookup.invoke({"q":1})',
    'find_page("x") and so on',
    'client.find_page("x")',
    '&lt;lookup q="1"/&gt;',
    "<lookup><q>x</q></lookup>",
    '<lookup q="x">',
    'lookup(\n  q="x"\n)',
    'lookup（q="x"）',
    'lo\u200bokup(q="x")',
    '{"type":"tool_use","name":"lookup","input":{"q":1}}',
    '{"recipient_name":"functions.lookup","parameters":{"q":1}}',
    'name: lookup\narguments: {"q": 1}',
    '<use_mcp_tool><tool_name>lookup</tool_name><arguments>{"q":1}</arguments></use_mcp_tool>',
    '**lookup**(q="x")',
    '1. lookup(q="x")',
    "> lookup(q)",
    "lookup()",
    "Done. </tool_call>",
    '{"name": "unknown_tool", "arguments": {}}',
    "```tool_code\nfoo()\n```",
    "answer <think>hm",
    "x = book(3, 4)",
    'lookup: {"q": 1}',
    'lookup => {"q": 1}',
    '[lookup(q="x"), search(q="y")]',
    "{lookup: {q: 1}}",
    "{'lookup': {'q': 1}}",
    '"find_page": {"q": 1}',
    "<tools><lookup></lookup></tools>",
    "return lookup(q)",
    "let r = lookup(q)",
    'assistant to=lookup code {"q":1}',
    "<|im_start|>assistant",
    "[INST] hi [/INST]",
    "<start_of_turn>model",
    '[{"name": "search", "arguments": {"q": "x"}}, {"name": "search", "arguments": {"q": "x"}}]',
    '{"tool_calls": [{"function": {"name": "search", "arguments": "{}"}}]}',
    '{"type": "function", "function": {"name": "anything", "parameters": {}}}',
    '{"action": "search", "action_input": "x"}',
    '{"name": "search", "arguments": {"q": "cut of',
    '```json\n{"name": "search", "arguments": {"q": "x"}}\n```',
    '```\n{"name": "search", "arguments": {"q": "x"}}',
    '```xml\n<tool_call>{"name": "search", "arguments": {"q": "x"}}</tool_call>\n```',
    '<function=search>{"q": 1}</function>',
    '<function_calls>\n<invoke name="search"></invoke>\n</function_calls>',
    '<|python_tag|>{"name": "search", "arguments": {}}',
    '```tool_code\nprint(default_api.search(q="x"))\n```',
    '```python\nsearch(q="x")\n```',
    "<find_page>\n<query>x</query>\n</find_page>",
    "<find_page><query>x",
    'Action: search\nAction Input: {"q": 1}',
    "```\nsearch(q='a')\nbook(room=3)\n```",
    '<find_page room="3"/>',
    '{"tool": "book", "room": 3}',
    "{'name': 'book', 'arguments': {'room': 3}}",
    '<｜tool▁calls▁begin｜>function<｜tool▁sep｜>book\n{"r":3}<｜tool▁calls▁end｜>',
    "<tool_response>\nbooked\n</tool_response>",
    '{"steps": [{"id": 1, "name": "book", "arguments": {"r": 3}}]}',
    '{"parameters": {"q": "x"}, "name": "search"}',
    'Calling function find_page(query="rules") now.',
    'function find_page({"query": "rules"})',
    "functions.find_page(…)",
    "I will call functions.find_page(query) now.",
    "Then tools.search(term) and so on.",
    "I use api.find_page(query) for that.",
    "Action: find_page",
    "**Action:** `find_page`",
    "Thought: hm\nAction: find_page\n",
    "Tool call: find_page",
    "Action: functions.find_page",
    'Calling function find_page {"q": "x"} now.',
    'Calling function find_page: {"q": "x"}',
    'I call the function find_page(q="x"): {"a": 1}',
    'Calling function find_page: one moment.\nfind_page(q="x")',
    'class find_page: {"q": 1}',
    'I used find\\_page(q="x") for it.',
    'find_page\\(q="x"\\)',
    '_find_page_(q="x")',
    '__search__({"q": "x"})',
    '现在调用find_page(q="x")。',
    '今book({"room": 3})を実行',
    'find_page → {"q": "x"}',
    'find_page with the following arguments: {"q": "x"}',
    'find_page\n\n**Arguments**: {"q": "x"}',
    '["find_page", {"q": "x"}]',
    '[find_page] {"q": "x"}',
    'find_page[q="x"]',
]
ENDS_IN_A_CALL = [
    "I will call find_page(",
    "I will call find_page( ",
    "I will call search(",
    "find_page(the ru",
    "I will call find_page(the ru",
    "search(the ru",
    "functions.search(",
]
NOTHING_BUT_A_CALL = [
    '{"name": "lookup"}',
    '[{"name": "lookup"}]',
    '{"function": {"name": "lookup"}}',
    '{"name": "lookup", "argu',
    '```json\n{"name": "lookup"}\n```',
    '```json\n{"name": "invented", "arguments": {"q": "x"}}\n```',
]
ORDINARY = [
    "lookup (see page 3)",
    "- lookup (see page 3)",
    "The lookup found three rooms.",
    "Use the search (top right) to find it.",
    'print("hi")',
    '```python\nprint("hi")\n```',
    '```python\nimport re\nre.search(r"\\d", s)\n```',
    '```js\nfetch("/api/v1/rooms", {method: "POST"})\n```',
    '{"open": true, "until": 18}',
    '```json\n{"name": "Ada", "input": "x"}\n```',
    "Call `search(q)` to try it, it is quick.",
    "In Python:\n```python\nprint(1)\n```\nThat prints one.",
    "[1] The handbook says so.",
    'The search found {"name": "Ada", "room": {"id": 3}} there.',
    "Action: search\nand then think about it.",
    "Action: find_page is what I took.",
    "I took an action: find_page",
    "Reaction: find_page",
    "The events (from",
    "re.search(",
    "The page on find_page (and more",
    'A person: {"name": "Ada", "input": "x"} is all.',
    "Use `<|im_start|>` first.",
    "book(s) are here",
    "- book(s)",
    "Here are the events: [page](https://x)",
    "My search: nothing (sorry).",
    "```python\ndef search(items, x):\n    return x in items\nsearch([1], 2)\n```",
    "```js\nfunction search(items) {\n  return items\n}\nsearch([1])\n```",
    "```python\nclass search:\n    pass\nsearch([1])\n```",
    "```python\ndef search(a: int) -> bool:\n    return a\nsearch([1])\n```",
    "<https://x.example|search>",
    "[search](https://x.example/search?q=1)",
    '```html\n<form><search class="a"><input name="search"></search></form>\n```',
    '```json\n{"features": {"search": {"enabled": true}}}\n```',
    '```json\n{"events": [{"title": "x"}]}\n```',
    "Events (online): Monday; book (paper): 3",
    "I tried the lookup; it failed (timeout).",
    "Tool: search. It looks things up.",
    "I used find_page and book, both worked (twice).",
    'requests.get("https://x")',
    "Please book: the room (A) is free.",
    'Search: "foo" gave {3} hits',
    "x <- y | z |> f",
    "elm: a <| b |> c",
    "https://x.example/search?q={term}",
    "events: 3 (two online)",
    "The tool `find_page` takes a query.",
    "Run `book` (it asks for a room).",
    "Try /search [term]",
    "search (note: see page 3)",
    "What I did:\n- search\n- book (pending)\n- lookup",
    'Set `"search": true` in the file.',
    '$ search "x"',
    "SELECT * FROM events (nolock)",
    "The count is events(3).",
    "lookup (Suche) and more",
    "The office is open until six.",
    '{"name": "broken',
    "Use `</tool_call>` to end it.",
    "```xml\n<tool_call>example</tool_call>\n```",
    "Mistral puts `[TOOL_CALLS]` before its calls.",
    "```js\nexport default { search: { enabled: true } }\n```",
    "```js\nevents.map((e) => e.title)\n```",
    "```ts\nfunction search(items: string): number {\n  return 1\n}\nsearch([1])\n```",
    "```js\nclass search {\n  run() {}\n}\nnew search([1])\n```",
    "```python\ndef search(q): return [q]\nsearch([1])\n```",
    "```go\nfunc search(q string) {\n}\nsearch([1])\n```",
    "The function search: it looks things up.",
    "Use the `search_` prefix, or _search_ in italics (as here).",
    "Die Büchersuche (search) ist neu.",
    "I used find_page, book and lookup [all of them].",
    "",
]


@pytest.mark.parametrize("text", ACTED_OUT)
def test_a_call_in_any_spelling(text: str) -> None:
    assert acts_out_a_call(text, tools=TOOLS)


@pytest.mark.parametrize("text", ACTED_OUT)
def test_a_call_amid_an_answer(text: str) -> None:
    if text.startswith('{"type": "function"') or "unknown_tool" in text:
        return  # An invented tool amid prose is an example, as far as anybody can tell.
    assert acts_out_a_call(f"The office is open until six.\n{text}\nThat is all.", tools=TOOLS)


@pytest.mark.parametrize("text", NOTHING_BUT_A_CALL)
def test_a_text_that_is_nothing_but_a_call(text: str) -> None:
    assert acts_out_a_call(text, tools=TOOLS)


@pytest.mark.parametrize("text", ENDS_IN_A_CALL)
def test_a_text_that_ends_within_a_call(text: str) -> None:
    assert acts_out_a_call(text, tools=TOOLS)
    assert not acts_out_a_call(f"{text}) is what it looked like", tools=set())


@pytest.mark.parametrize(
    "text", ["Action: list_rooms", "Then I ran list_rooms(day) on it.", "functions.list_rooms("]
)
def test_an_invented_name_in_the_form_of_code_is_not_told_from_an_example(text: str) -> None:
    """The named limit: only what is on offer can be known to be a tool."""
    assert not acts_out_a_call(text, tools=TOOLS)
    assert acts_out_a_call(text.replace("list_rooms(day)", "x.list_rooms(day)"), tools={"list_rooms"})


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text(text: str) -> None:
    assert not acts_out_a_call(text, tools=TOOLS)


def test_what_no_tool_answers_to_is_somebody_elses_code() -> None:
    text = 'Try lookup(q="x") or {"lookup": {"q": 1}} there.'
    assert acts_out_a_call(text, tools=TOOLS)
    assert not acts_out_a_call(text, tools={"book"})


@given(st.text(alphabet="<>/{}[]()|\"`'=:\n searchtool_call", max_size=300))
def test_any_text_can_be_judged(text: str) -> None:
    assert acts_out_a_call(text, tools=TOOLS) in {True, False}


CODE_PIECES = ["`", "``a ", "```\n", "~~~a\n", "```\n<think>", "```x\n</think>\n", "`<think>", "<think>`"]
PIECES = [
    "<tool_call", "```\n", "`", "{", "[[", "(", '{"name":', "search(", "search((", "search({[(", '{"search": ',
    "search {", "search: ", "search with ", "- search(a", "find_page<x", "<find_page ", "<search ", "to=functions.",
    "Action: search\n", "<think", "def search", "&lt;", "\u200b", "<|", " a=b=", "functions.functions.",
    "find_page(a ", "functions.find_page(", "Action: find_page\n", "~~~a\n", "``a ", "```a", "```\n~~~\n",
    "<invoke a", " \n", '[{ "name"', '"input',
]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_long_hostile_text_is_no_burden(piece: str) -> None:
    """200 kB each; quadratic work on these would take minutes."""
    text = piece * (200_000 // len(piece)) + "\nsearch"
    acts_out_a_call(text, tools=TOOLS)


def test_nested_brackets_are_no_burden() -> None:
    for opening, closing in [("{", "}"), ("[", "]"), ("(", ")")]:
        text = f"search{opening * 100_000}{closing * 100_000}"
        acts_out_a_call(text, tools=TOOLS)


@pytest.mark.parametrize(
    "piece", ["<think>", "</think>", "<think></think>", "<|end|>", "<|im_end|>\n", " ", *CODE_PIECES]
)
def test_long_runs_of_thinking_are_no_burden(piece: str) -> None:
    without_end_tokens(without_thinking(piece * (200_000 // len(piece))))
