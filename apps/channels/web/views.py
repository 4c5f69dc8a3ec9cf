"""The web chat's addresses: parse, call one service, answer (contract §8.4)."""

from __future__ import annotations

import asyncio
import logging
from functools import partial

from asgiref.sync import sync_to_async
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from apps.channels.json_http import (
    STORE_DOWN,
    MethodNotAllowed,
    checked,
    error_response,
    json_response,
    json_view,
    read_body,
    require_method,
)
from apps.channels.turn_answers import web_body
from apps.channels.turn_pool import turn_pool
from apps.channels.web import chat, listener
from apps.channels.web.admission import WebChannel, admit, open_channel, set_cookie
from apps.channels.web.bodies import CancelBody, MessageBody, ThreadQuery
from apps.channels.web.page import redirect_without_token, render_page, render_refusal
from apps.channels.web.stream import LineFeed, LineStream, caller_is_gone, last_line
from apps.foundation.database import at_work
from apps.foundation.errors import RootError, Unavailable

_log = logging.getLogger(__name__)


def page(request: HttpRequest, slug: str) -> HttpResponse:
    """GET /web/:slug/test — the chat page; a token in the address is traded for a cookie first."""
    if request.method not in {"GET", "HEAD"}:
        return error_response(MethodNotAllowed("GET", "HEAD"))
    try:
        channel = open_channel(slug)
        means = admit(request, channel)
    except RootError as error:
        return render_refusal(request, error)
    except (OperationalError, InterfaceError):
        _log.exception("the chat page failed for want of the database")
        return render_refusal(request, Unavailable(STORE_DOWN))
    response = (
        redirect_without_token(channel.tenant.slug) if means == "query" else render_page(request, channel)
    )
    if means != "cookie":
        set_cookie(response, channel, request=request)
    return response


@json_view
async def messages(request: HttpRequest, slug: str) -> HttpResponseBase:
    """POST asks and waits for the whole answer; GET shows the conversation so far."""
    require_method(request, "GET", "POST")
    channel = await _admitted(request, slug)
    if request.method == "GET":
        query = checked({name: request.GET.get(name) for name in ThreadQuery.model_fields}, ThreadQuery)
        return json_response(await sync_to_async(chat.conversation)(channel.tenant, query))
    body = read_body(request, MessageBody)
    hears = listener.listen(channel.tenant.pk, body.turn_id)
    future = turn_pool().submit(partial(chat.answer, channel.tenant, body, listener=hears))
    try:
        return json_response(web_body(await asyncio.wrap_future(future)))
    except asyncio.CancelledError:
        hears.leave()
        raise


@json_view
async def stream(request: HttpRequest, slug: str) -> HttpResponseBase:
    """POST asks and gets lines: phases, plan, tools, progress, then the answer."""
    require_method(request, "POST")
    channel = await _admitted(request, slug)
    body = read_body(request, MessageBody)
    hears = listener.listen(channel.tenant.pk, body.turn_id)
    feed = LineFeed()
    turn = partial(chat.answer, channel.tenant, body, listener=hears, on_event=feed.put)
    turn_pool().submit(lambda: feed.put(last_line(turn)))
    return StreamingHttpResponse(
        LineStream(feed, hears),
        content_type="application/x-ndjson",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


@json_view
async def cancel(request: HttpRequest, slug: str) -> HttpResponseBase:
    """POST stops a running turn at once."""
    require_method(request, "POST")
    channel = await _admitted(request, slug)
    body = read_body(request, CancelBody)
    return json_response({"cancelled": listener.cancel(channel.tenant.pk, body.turn_id)})


async def _admitted(request: HttpRequest, slug: str) -> WebChannel:
    channel = await sync_to_async(_opened)(slug)
    if caller_is_gone():
        raise asyncio.CancelledError
    admit(request, channel)
    return channel


def _opened(slug: str) -> WebChannel:
    # The request may go on for minutes; its connection goes back to the pool now.
    with at_work():
        return open_channel(slug)
