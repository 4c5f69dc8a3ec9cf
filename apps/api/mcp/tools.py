"""The six tools: how each is declared, and what answers it (contract §12.3)."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from mcp_types import CallToolResult, ContentBlock, ImageContent, TextContent, Tool, ToolAnnotations
from pydantic import BaseModel

from apps.agent.tools.catalogue import catalogue
from apps.agent.tools.execution import execute_tool, person_surface
from apps.api.answers import Usage
from apps.api.mcp import searches, shapes
from apps.api.metering import MCP_TOOL, MCP_TURN, metered
from apps.api.turns import Asked, take_turn
from apps.channels.json_http import as_json
from apps.channels.turn_answers import plain_body, usage_body
from apps.channels.web.listener import WebListener
from apps.foundation.database import at_work
from apps.integrations.rootint.images import ToolImage
from apps.tenancy.models import TenantApiKey

READS: Final = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
ACTS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=True
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a tool gives: the object, its text where that is not the object's JSON, pictures beside it."""

    body: BaseModel
    text: str | None = None
    failed: bool = False
    images: tuple[ToolImage, ...] = field(default=(), repr=False)

    def result(self) -> CallToolResult:
        """As the protocol has it."""
        structured = self.body.model_dump(mode="json")
        text = self.text if self.text is not None else as_json(structured).decode()
        content: list[ContentBlock] = [TextContent(text=text)]
        content += [
            ImageContent(data=base64.b64encode(image.data).decode(), mime_type=image.content_type)
            for image in self.images
        ]
        return CallToolResult(content=content, structured_content=structured, is_error=self.failed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """A tool of ours. ``slow`` ones run in the pool of turns, and hear when their caller leaves."""

    title: str
    description: str
    takes: type[BaseModel]
    gives: type[BaseModel]
    annotations: ToolAnnotations
    answer: Callable[[Any, TenantApiKey, WebListener], Said]
    slow: bool = False


def ask_agent(asked: shapes.AskAgent, key: TenantApiKey, listener: WebListener) -> Said:
    """A whole turn."""
    outcome = take_turn(
        Asked(
            message=asked.message,
            caller=asked.caller(),
            thread_key=(asked.thread_key or "").strip() or None,
            key=key,
            surface=MCP_TURN,
        ),
        listener=listener,
    )
    body = shapes.Answer.model_validate(plain_body(outcome))
    return Said(body=body, text=outcome.response, failed=not outcome.success, images=outcome.images)


def call_tool(asked: shapes.CallTool, key: TenantApiKey, _listener: WebListener) -> Said:
    """One tool of the person's own surface; nobody is an administrator here."""
    run = metered(
        partial(execute_tool, asked.name, asked.arguments, caller=asked.caller()), surface=MCP_TOOL, key=key
    )
    body = shapes.ToolRan.model_validate(
        {**run.result, "usage": Usage(**usage_body(run.usage)), "trace_id": run.trace_id}
    )
    return Said(body=body, failed=not run.success, images=run.images)


def list_tools(asked: shapes.ListTools, _key: TenantApiKey, _listener: WebListener) -> Said:
    """What the person can call; without one, what anybody may be able to."""
    someone = asked.someone()
    if someone is None:
        listed = [_listed(e, read_only=e.read_only) for e in catalogue() if e.open_to_programs]
    else:
        listed = [_listed(tool, read_only=not tool.mutates) for tool in person_surface(someone).tools]
    return Said(body=shapes.ToolsListed(tools=listed))


def _listed(tool: Any, *, read_only: bool) -> shapes.ToolListed:
    return shapes.ToolListed(
        name=tool.name,
        label=tool.label,
        description=tool.description,
        input_schema=tool.parameters,
        read_only=read_only,
        origin=tool.origin,
        provider=tool.provider,
    )


def _searching(search: Callable[[Any], BaseModel]) -> Callable[[Any, TenantApiKey, WebListener], Said]:
    return lambda asked, _key, _listener: Said(body=search(asked))


TOOLS: Final[Mapping[str, Offered]] = MappingProxyType(
    {
        "ask_agent": Offered(
            title="Ask the community's agent",
            description=(
                "Puts a message to the agent on behalf of one person and returns its answer. The agent sees and does "
                "what that person may. One of principal_email and principal_slack_user_id is required; send the "
                "thread_key of an answer along to go on with that conversation."
            ),
            takes=shapes.AskAgent,
            gives=shapes.Answer,
            annotations=ACTS,
            answer=ask_agent,
            slow=True,
        ),
        "list_tools": Offered(
            title="List the agent's tools",
            description=(
                "Names the tools that call_tool can run, with the schema of their arguments: for one person, or "
                "without one everything that is open to anybody here."
            ),
            takes=shapes.ListTools,
            gives=shapes.ToolsListed,
            annotations=READS,
            answer=list_tools,
        ),
        "call_tool": Offered(
            title="Run one of the agent's tools",
            description=(
                "Runs a tool for one person, without the agent around it. One of principal_email and "
                "principal_slack_user_id is required. A tool that is not read_only changes something: when the "
                "outcome is unknown, do not run it again."
            ),
            takes=shapes.CallTool,
            gives=shapes.ToolRan,
            annotations=ACTS,
            answer=call_tool,
            slow=True,
        ),
        "search_knowledge": Offered(
            title="Search the knowledge base",
            description=(
                "Finds passages of the community's pages by meaning and by words. No model rewrites or reorders them. "
                "With a person named, as that person may see them; otherwise as every member may."
            ),
            takes=shapes.SearchKnowledge,
            gives=shapes.PagesFound,
            annotations=READS,
            answer=_searching(searches.search_knowledge),
        ),
        "search_slack": Offered(
            title="Search the community's Slack",
            description=(
                "Finds what people wrote in public channels, and summaries of threads, with links to the messages. No "
                "model rewrites or reorders them."
            ),
            takes=shapes.SearchSlack,
            gives=shapes.MessagesFound,
            annotations=READS,
            answer=_searching(searches.search_slack),
        ),
        "who_knows": Offered(
            title="Find who knows about something",
            description=(
                "Finds people who wrote about a topic in public channels, with the messages that show it. A person "
                "who is named as the one asking is left out."
            ),
            takes=shapes.WhoKnows,
            gives=shapes.ExpertsFound,
            annotations=READS,
            answer=_searching(searches.who_knows),
        ),
    }
)


def declared() -> list[Tool]:
    """All of them, as clients are told."""
    return [
        Tool(
            name=name,
            title=tool.title,
            description=tool.description,
            input_schema=tool.takes.model_json_schema(),
            output_schema=tool.gives.model_json_schema(mode="serialization"),
            annotations=tool.annotations,
        )
        for name, tool in TOOLS.items()
    ]


def answered(tool: Offered, asked: BaseModel, *, key: TenantApiKey, listener: WebListener) -> Said:
    """Runs one; blocks. Turns and tool runs take their places at work themselves."""
    if tool.slow:
        return tool.answer(asked, key, listener)
    with at_work():
        return tool.answer(asked, key, listener)
