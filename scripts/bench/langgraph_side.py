"""LangGraph on the workload: the agent graph of its documentation, a chat model node and a `ToolNode`."""

from __future__ import annotations

import inspect
import json
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from scripts.bench import workload

_OPENING: list[AnyMessage] = [
    SystemMessage(workload.SYSTEM),
    *[HumanMessage(t) if role == "user" else AIMessage(t) for role, t in workload.HISTORY],
    HumanMessage(workload.QUESTION),
]
_HISTORY_REPLIES = sum(role == "assistant" for role, _ in workload.HISTORY)
_ROUNDS = [
    [{"id": i, "name": name, "args": json.loads(arguments)} for i, name, arguments in batch]
    for batch in workload.ROUNDS
]


class ScriptedChat(BaseChatModel):  # type: ignore[misc]
    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self.bind(tools=[tool.name for tool in tools], **kwargs)

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=_reply(messages))])

    async def _agenerate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=_reply(messages))])


def _reply(messages: list[BaseMessage]) -> AIMessage:
    done = sum(isinstance(message, AIMessage) for message in messages) - _HISTORY_REPLIES
    if done < len(_ROUNDS):
        return AIMessage(workload.PLAN, tool_calls=_ROUNDS[done])
    return AIMessage(workload.ANSWER)


def _awaitable(function: Any) -> Any:
    async def call(**arguments: Any) -> Any:
        return function(**arguments)

    call.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return call


_TOOLS = [StructuredTool.from_function(func=f, coroutine=_awaitable(f)) for f in workload.TOOLS]
_MODEL = ScriptedChat().bind_tools(_TOOLS)


def _call_model(state: MessagesState) -> dict[str, Any]:
    return {"messages": [_MODEL.invoke(state["messages"])]}


async def _await_model(state: MessagesState) -> dict[str, Any]:
    return {"messages": [await _MODEL.ainvoke(state["messages"])]}


def _graph(model_node: Any) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("model", model_node)
    graph.add_node("tools", ToolNode(_TOOLS))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    return graph.compile()


_SYNC, _ASYNC = _graph(_call_model), _graph(_await_model)


def one_turn() -> None:
    _check(_SYNC.invoke({"messages": _OPENING}))


async def one_turn_async() -> None:
    _check(await _ASYNC.ainvoke({"messages": _OPENING}))


def _check(state: dict[str, Any]) -> None:
    said = state["messages"]
    assert said[-1].content == workload.ANSWER
    assert sum(m.type == "tool" and m.status == "success" for m in said) == workload.CALLS_IN_A_TURN
