"""A client of the web chat of a community with a page, a backend and a scripted model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.channels.web.chat_client import ChatClient

if TYPE_CHECKING:
    from apps.tenancy.models import TenantChannel
    from tests.plugins.community import Community


@pytest.fixture
def chat(community: Community, web_channel: TenantChannel, site: str, token: str) -> ChatClient:
    return ChatClient(site, token)
