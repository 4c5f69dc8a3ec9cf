"""The web chat's own work: answer a question, stop one, show a conversation (contract §8.1, §8.4)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final

from apps.agent.conversations import LoggedMessage, thread_history, thread_key_for
from apps.agent.turns import Caller, TurnOutcome, TurnRequest, run_turn
from apps.channels.turn_answers import answer_html, safe_source
from apps.channels.web.bodies import MessageBody, ThreadQuery
from apps.channels.web.listener import WebListener
from apps.integrations import identity
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant

CHANNEL: Final = "web"
SHOWN = 100
_log = logging.getLogger(__name__)


def answer(
    tenant: Tenant,
    body: MessageBody,
    *,
    listener: WebListener,
    on_event: Callable[[dict[str, Any]], None] = lambda _event: None,
) -> TurnOutcome:
    """Runs one turn to its end. Blocks: call it in the turn pool."""
    request = TurnRequest(
        message=body.message, channel=CHANNEL, caller=Caller(email=body.email), thread_key=body.thread_key
    )
    with tenant_context(tenant):
        outcome = run_turn(request, on_event=on_event, listener=listener)
    if listener.left():
        _log.info("web listener left: tenant=%s trace=%s", tenant.slug, outcome.trace_id)
    return outcome


def conversation(tenant: Tenant, query: ThreadQuery) -> dict[str, Any]:
    """The messages of one conversation, as its own person may see them."""
    if query.thread_key is None:
        return {"messages": [], "thread_key": None}
    with tenant_context(tenant):
        person = identity.resolve(email=query.email, channel=CHANNEL)
        key = thread_key_for(CHANNEL, user=person.ref, given=query.thread_key)
        shown = [_message(logged) for logged in thread_history(key, member=person.ref, limit=SHOWN)]
    return {"messages": shown, "thread_key": key}


def _message(logged: LoggedMessage) -> dict[str, Any]:
    outbound = logged.direction == "outbound"
    sources = logged.metadata.get("sources")
    return {
        "direction": logged.direction,
        "text": logged.text,
        "html": answer_html(logged.text) if outbound else None,
        "at": logged.at.isoformat(),
        "sources": [safe_source(s) for s in sources if isinstance(s, dict)]
        if isinstance(sources, list)
        else [],
        "trace_id": logged.metadata.get("trace_id"),
    }
