"""The stream tells a turn as it happens and ends with its answer."""

from __future__ import annotations

from tests.channels.script import PLAN, searching
from tests.channels.web.chat_client import ChatClient
from tests.fakes.llm import fails
from tests.plugins.community import Community

ANSWER = "Guests may come until ten (see Guests)."


def test_lines_come_in_the_order_things_happen(chat: ChatClient, community: Community) -> None:
    community.llm.answer_with(searching(ANSWER))
    lines = list(chat.stream("May I bring a guest?", email="ada@harbour.example"))
    kinds = [line["type"] for line in lines]
    assert (kinds[0], kinds[1], kinds[-1]) == ("phase", "plan", "answer")
    assert kinds.count("answer") == 1
    assert lines[0] == {"type": "phase", "phase": "planning", "round": 1}
    assert lines[1]["text"] == PLAN
    assert [line["phase"] for line in lines if line["type"] == "phase"] == ["planning", "planning", "answer"]


def test_each_tool_is_announced_and_settled(chat: ChatClient, community: Community) -> None:
    community.llm.answer_with(searching(ANSWER))
    lines = [
        line
        for line in chat.stream("May I bring a guest?", email="ada@harbour.example")
        if line["type"] == "tool"
    ]
    settled = {line["name"]: line["status"] for line in lines}
    assert settled == {"search_knowledge_base": "done", "search_members": "done"}
    assert [line["status"] for line in lines].count("running") == 2
    assert {"Searching the knowledge base", "Looking through the directory"} == {
        line["label"] for line in lines
    }
    assert len({line["id"] for line in lines}) == 2


def test_the_last_line_is_the_plain_routes_body(chat: ChatClient, community: Community) -> None:
    community.llm.answer_with(searching(ANSWER))
    *_, last = chat.stream("May I bring a guest?", thread_key="t1")
    body = chat.ask("May I bring a guest?", thread_key="t1")
    assert last.pop("type") == "answer"
    assert last.keys() == body.keys()
    assert (last["response"], last["thread_key"]) == (body["response"], body["thread_key"])


def test_a_model_that_refuses_ends_in_an_honest_answer(chat: ChatClient, community: Community) -> None:
    community.llm.reply(fails(403, "no credit for key sk-secret"))
    *_, last = chat.stream("May I bring a guest?")
    assert (last["type"], last["success"]) == ("answer", False)
    assert "sk-secret" not in str(last)
