"""Lists and calls every tool with whichever major version of the official client this Python has.

Usage: ROOT_KEY=… python scripts/mcp_client.py URL. Runs in a virtual environment of its own (scripts/check-mcp), so it
imports nothing of Root. Prints one line of JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import AsyncExitStack
from importlib.metadata import version
from typing import Any

PERSON = {"principal_email": "ada@harbour.example"}
CALLS: dict[str, dict[str, Any]] = {
    "ask_agent": {"message": "May I bring a guest?", **PERSON},
    "list_tools": {},
    "call_tool": {"name": "search_members", "arguments": {"query": "pricing"}, **PERSON},
    "search_knowledge": {"query": "guests"},
    "search_slack": {"query": "kiln"},
    "who_knows": {"topic": "kiln"},
}


async def _connected(stack: AsyncExitStack, url: str, headers: dict[str, str]) -> tuple[Any, str]:
    """A session and the revision it speaks; the two majors have different ways to one."""
    if version("mcp").startswith("1."):
        from mcp import ClientSession
        from mcp.client.streamable_http import streamablehttp_client  # type: ignore[attr-defined,unused-ignore]

        read, write, _ = await stack.enter_async_context(streamablehttp_client(url, headers=headers))
        session = await stack.enter_async_context(ClientSession(read, write))
        return session, str((await session.initialize()).protocolVersion)  # type: ignore[attr-defined,unused-ignore]
    import httpx2
    from mcp.client.client import Client
    from mcp.client.streamable_http import streamable_http_client

    http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
    client = await stack.enter_async_context(Client(streamable_http_client(url, http_client=http)))
    return client, str(client.protocol_version)


async def main(url: str) -> dict[str, Any]:
    """Everything once."""
    async with AsyncExitStack() as stack:
        client, revision = await _connected(stack, url, {"Authorization": f"Bearer {os.environ['ROOT_KEY']}"})
        listed = [tool.name for tool in (await client.list_tools()).tools]
        called = {}
        for name in listed:
            answer = (await client.call_tool(name, CALLS[name])).model_dump(by_alias=True)
            called[name] = not answer["isError"] and isinstance(answer["structuredContent"], dict)
        pages = (await client.list_resources()).resources
        texts = [(await client.read_resource(page.uri)).contents[0].text for page in pages]
        return {
            "client": version("mcp"),
            "revision": revision,
            "called": called,
            "pages_read": sum(map(bool, texts)),
        }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(sys.argv[1]))))
