"""Asking Harbour Works something, as a member unless said otherwise."""

from __future__ import annotations

from typing import Any

from apps.agent.turns import Caller, TurnOutcome, TurnRequest, run_turn
from apps.tenancy.context import tenant_context
from tests.plugins.community import Community

MEMBER = Caller(email="ada@harbour.example")


def ask(community: Community, message: str = "hello", **more: Any) -> TurnOutcome:
    request: dict[str, Any] = {"channel": "web", "caller": MEMBER} | more
    with tenant_context(community.tenant):
        return run_turn(TurnRequest(message=message, **request))
