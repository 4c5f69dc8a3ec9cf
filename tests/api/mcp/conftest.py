"""The official client, connected to Root on a real port."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from tests.channels.conftest import fresh_turn_pool, site  # noqa: F401

if TYPE_CHECKING:
    from mcp.client.client import Client

    from tests.plugins.community import Community

T = TypeVar("T")


@dataclass(frozen=True)
class Door:
    """Where a community's clients connect, and with which key."""

    url: str
    secret: str

    def talk(self, conversation: Callable[[Client], Awaitable[T]], *, mode: str = "auto") -> T:
        """One connection of the official client, from first to last."""
        import anyio
        import httpx2
        from mcp.client.client import Client
        from mcp.client.streamable_http import streamable_http_client

        async def connected() -> T:
            headers = {"Authorization": f"Bearer {self.secret}"}
            async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
                transport = streamable_http_client(self.url, http_client=http)
                async with Client(transport, mode=mode) as client:
                    return await conversation(client)

        return anyio.run(connected)

    def call(self, tool: str, *, mode: str = "auto", **arguments: Any) -> Any:
        """One call of a tool."""

        async def calling(client: Client) -> Any:
            return await client.call_tool(tool, arguments)

        return self.talk(calling, mode=mode)


@pytest.fixture
def door(community: Community, site: str) -> Door:  # noqa: F811
    from apps.tenancy.api_keys import mint_key

    return Door(f"{site}/api/mcp", mint_key(community.tenant, name="client").secret)
