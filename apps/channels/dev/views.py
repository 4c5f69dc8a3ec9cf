"""POST /dev/simulate-message (contract §8.5)."""

from __future__ import annotations

import asyncio
from functools import partial

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from apps.channels.dev.simulate import SimulateBody, simulate
from apps.channels.json_http import json_response, json_view, read_body, require_method
from apps.channels.turn_answers import plain_body
from apps.channels.turn_pool import turn_pool
from apps.tenancy.tenants import find_tenant


@json_view
async def simulate_message(request: HttpRequest) -> HttpResponseBase:
    """Runs a whole Slack-style turn and answers with what came of it."""
    require_method(request, "POST")
    body = read_body(request, SimulateBody)
    tenant = await sync_to_async(find_tenant)(body.tenant)
    outcome = await asyncio.wrap_future(turn_pool().submit(partial(simulate, tenant, body)))
    return json_response(plain_body(outcome))
