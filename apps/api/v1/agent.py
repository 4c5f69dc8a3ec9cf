"""POST /agent/turns: a whole turn of the agent, for a person (contract §8.1, §12.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Annotated, Any, TypeVar

from asgiref.sync import sync_to_async
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from pydantic import BaseModel, Field, StringConstraints
from rest_framework.request import Request

from apps.agent.turns import MESSAGE_LIMIT
from apps.api.answers import Image, Usage
from apps.api.asynchronous import AsyncTenantView, stop_if_gone
from apps.api.idempotent import PARAMETER, REPLAYED, carried_out, claimed, replayed
from apps.api.metering import REST_TURN
from apps.api.operation import Answered, operation
from apps.api.people import PrincipalChosen
from apps.api.reading import NO_NUL, SEEN, Body, raw_body
from apps.api.turns import Asked, take_turn
from apps.channels.json_http import as_json
from apps.channels.turn_answers import plain_body
from apps.channels.turn_pool import turn_pool
from apps.channels.web.listener import WebListener
from apps.channels.web.stream import LineFeed, LineStream, ended
from apps.foundation.database import at_work
from apps.foundation.errors import Unavailable
from apps.tenancy import idempotency
from apps.tenancy.idempotency import Claim, Earlier

OPERATION = "agent.turns"
LINES = "application/x-ndjson"
UNBUFFERED = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
T = TypeVar("T")


class TurnAsked(Body):
    """A message, from a person. Under the same thread key what was said before is known."""

    message: Annotated[
        str,
        StringConstraints(pattern=SEEN, min_length=1, max_length=MESSAGE_LIMIT),
        Field(repr=False, examples=["May I bring a guest on Friday?"]),
    ]
    principal: PrincipalChosen
    thread_key: (
        Annotated[
            str,
            StringConstraints(pattern=NO_NUL, max_length=500),
            Field(examples=["guests"]),
        ]
        | None
    ) = None


class CallMade(BaseModel):
    """A tool the agent called."""

    name: str
    args: dict[str, Any]
    success: bool
    duration_ms: int


class TurnShown(BaseModel):
    """The answer and what it took. ``success`` false: the answer says honestly why there is none, or what failed."""

    response: str
    success: bool
    tool_calls: list[CallMade]
    images: list[Image]
    usage: Usage
    trace_id: str
    thread_key: str = Field(description="Sent along again, it continues this conversation.")


class Turns(AsyncTenantView):
    """Turns of the agent."""

    @operation(
        "Ask the agent as a person",
        name="agent_turns",
        tag="Agent",
        body=TurnAsked,
        answers={200: TurnShown, (200, LINES): None},
        refuses=(404, 409),
        headers=[PARAMETER],
    )
    async def post(self, request: Request, body: TurnAsked) -> Answered | HttpResponseBase:
        """Answers when the turn is over. With ``Accept: application/x-ndjson`` lines come while it goes: phases, plan,
        tools, progress, and last ``answer`` with the same fields, or ``error``. Whoever leaves before a tool has run
        stops the turn; later it is finished and logged.
        """
        in_lines = LINES in request.headers.get("Accept", "").lower()
        held = await sync_to_async(self._claim)(request)
        if isinstance(held, Earlier):
            return _replayed_line(held) if in_lines else replayed(held)
        hears = WebListener()
        if in_lines:
            return await self._streamed(body, held, hears)
        future = await self._submitted(held, partial(self._answered, body, held, hears))
        return await _waited_for(future, hears)

    async def _streamed(self, body: TurnAsked, held: Claim | None, hears: WebListener) -> HttpResponseBase:
        feed = LineFeed()

        def turn() -> dict[str, Any]:
            answer: dict[str, Any] = self._answered(body, held, hears, feed.put).data()
            return answer

        await self._submitted(held, lambda: feed.put(ended(turn)))
        return StreamingHttpResponse(LineStream(feed, hears), content_type=LINES, headers=UNBUFFERED)

    def _claim(self, request: Request) -> Claim | Earlier | None:
        with at_work():
            return claimed(request._request, operation=OPERATION, content=raw_body(request))

    async def _submitted(self, held: Claim | None, work: Callable[[], T]) -> Future[T]:
        """The work in the pool. If it cannot begin, or nobody waits, the key is free again."""
        try:
            stop_if_gone()
            return turn_pool().submit(work)
        except (asyncio.CancelledError, Unavailable):
            if held is not None:
                await sync_to_async(_released)(held)
            raise

    def _answered(
        self,
        body: TurnAsked,
        held: Claim | None,
        hears: WebListener,
        on_event: Callable[[dict[str, Any]], None] = lambda _event: None,
    ) -> Answered:
        """In the pool: the turn, and its answer kept for whoever asks again."""
        asked = Asked(
            message=body.message,
            caller=body.principal.caller(),
            thread_key=(body.thread_key or "").strip() or None,
            key=self.holder.key,
            surface=REST_TURN,
        )

        def work(claim: Claim | None) -> Answered:
            run_id = claim.id if claim else None
            outcome = take_turn(asked, listener=hears, run_id=run_id, on_event=on_event)
            return Answered(status=200, body=TurnShown.model_validate(plain_body(outcome)))

        return carried_out(held, work)


async def _waited_for(future: Future[Answered], hears: WebListener) -> Answered:
    waiting = asyncio.wrap_future(future)
    # Nobody may be left to hear how it ended.
    waiting.add_done_callback(lambda done: done.cancelled() or done.exception())
    try:
        # Work that waits in the pool is begun even so: it frees the key.
        return await asyncio.shield(waiting)
    except asyncio.CancelledError:
        hears.leave()
        raise


def _released(held: Claim) -> None:
    with at_work():
        idempotency.released(held)


def _replayed_line(earlier: Earlier) -> HttpResponse:
    line = as_json({"type": "answer", **earlier.answer}) + b"\n"
    return HttpResponse(line, content_type=LINES, headers={**UNBUFFERED, **REPLAYED})
