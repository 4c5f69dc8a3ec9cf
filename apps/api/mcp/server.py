"""One request's server: it speaks for the holder of one key and is gone with the answer (contract §12.3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

import mcp_types as types
from asgiref.sync import sync_to_async
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import is_version_at_least
from pydantic import BaseModel, ValidationError

from apps.api.errors import Refused
from apps.api.mcp import pages
from apps.api.mcp.tools import TOOLS, Offered, Said, answered, declared
from apps.channels.turn_pool import turn_pool
from apps.channels.web.listener import WebListener
from apps.foundation.database import at_work
from apps.foundation.errors import NotFound, RootError
from apps.tenancy.api_keys import KeyHolder

NAME: Final = "root"
VERSION: Final = "1"
# Before this revision a resource that is not there had a code of its own.
_ONE_CODE_FOR_ALL: Final = "2026-07-28"
_NO_RESOURCE: Final = -32002
_INSTRUCTIONS: Final = (
    "{agent} is the assistant of {community}. To answer for yourself, use search_knowledge, search_slack and "
    "who_knows. To have {agent} answer or act for a person, use ask_agent. What a search did not find may exist "
    "all the same."
)
Context = ServerRequestContext[Any, Any]
T = TypeVar("T")


def server_for(holder: KeyHolder) -> Server[Any]:
    """The server behind one request, inside the community's context."""
    tenant = holder.tenant
    return Server(
        NAME,
        version=VERSION,
        title=tenant.display_name,
        instructions=_INSTRUCTIONS.format(agent=tenant.agent_name, community=tenant.display_name),
        on_list_tools=_list_tools,
        on_call_tool=partial(_call_tool, holder),
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
    )


async def _list_tools(_context: Context, _params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=declared())


async def _call_tool(
    holder: KeyHolder, _context: Context, params: types.CallToolRequestParams
) -> types.CallToolResult:
    tool = TOOLS.get(params.name)
    if tool is None:
        raise MCPError(types.INVALID_PARAMS, f"There is no tool “{params.name[:64]}”.")
    try:
        asked = tool.takes.model_validate(params.arguments or {})
        said = await _run(tool, asked, holder)
        return said.result()
    except ValidationError as error:
        return _failed(Refused(error))
    except RootError as error:
        return _failed(error)


async def _run(tool: Offered, asked: BaseModel, holder: KeyHolder) -> Said:
    hears = WebListener()
    work = partial(answered, tool, asked, key=holder.key, listener=hears)
    try:
        if not tool.slow:
            return await _in_thread(work)
        waiting = asyncio.wrap_future(turn_pool().submit(work))
        waiting.add_done_callback(lambda done: done.cancelled() or done.exception())
        return await asyncio.shield(waiting)
    except asyncio.CancelledError:
        hears.leave()
        raise


def _failed(error: RootError) -> types.CallToolResult:
    """A sentence the client's model can act on."""
    return types.CallToolResult(content=[types.TextContent(text=error.message)], is_error=True)


async def _list_resources(
    _context: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    return await _in_thread(_at_work(partial(pages.list_pages, params.cursor if params else None)))


async def _list_templates(_context: Context, _params: Any) -> types.ListResourceTemplatesResult:
    return types.ListResourceTemplatesResult(resource_templates=[pages.TEMPLATE])


async def _read_resource(
    context: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    try:
        return await _in_thread(_at_work(partial(pages.read, params.uri)))
    except NotFound as error:
        newer = is_version_at_least(context.protocol_version, _ONE_CODE_FOR_ALL)
        code = types.INVALID_PARAMS if newer else _NO_RESOURCE
        raise MCPError(code, error.message, {"uri": params.uri}) from None
    except RootError as error:
        raise MCPError(types.INTERNAL_ERROR, error.message) from None


def _at_work(work: Callable[[], T]) -> Callable[[], T]:
    def working() -> T:
        with at_work():
            return work()

    return working


async def _in_thread(work: Callable[[], T]) -> T:
    # Not the request's own thread: several calls of one client need not wait for each other.
    return await sync_to_async(work, thread_sensitive=False)()
