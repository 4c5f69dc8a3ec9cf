"""A reply as the kernel understands it: what it says to a person, and what is wrong with that (contract §4.4)."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

from apps.agent.kernel import wording
from apps.agent.kernel.classify import NonAnswer, is_plan_shaped, non_answer_reason
from apps.agent.kernel.plain import clean
from apps.agent.kernel.pretended import acts_out_a_call
from apps.agent.kernel.thinking import without_end_tokens, without_thinking
from apps.agent.kernel.types import ChatReply

_BROKEN_OFF = {"length": wording.CUT_OFF, "content_filter": wording.FILTERED}
Problem = NonAnswer | Literal["acted_out", "closed_call", "announcement"]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """`problem` None: `text` can be sent. `announces`: it speaks of steps instead of taking them.

    Of a reply that writes a call out as text nothing is kept: its words were written as if the call had run.
    """

    reply: ChatReply = field(repr=False)
    text: str = field(repr=False)
    problem: Problem | None
    announces: bool

    @property
    def broken_off(self) -> bool:
        return self.reply.finish_reason in _BROKEN_OFF

    @property
    def sendable(self) -> str:
        """The text as the person gets it; one that was broken off says so."""
        note = _BROKEN_OFF.get(self.reply.finish_reason)
        return f"{self.text}\n\n{note}" if note else self.text


def read(reply: ChatReply, *, tools: Collection[str], tools_ran: bool) -> Reading:
    said = clean(reply.text or "").replace("\r\n", "\n")
    written = without_end_tokens(without_thinking(said)).strip()
    if acts_out_a_call(written, tools=tools):
        return Reading(reply=reply, text="", problem="acted_out", announces=False)
    problem = non_answer_reason(written, tools_ran=tools_ran)
    announces = problem is None and is_plan_shaped(written)
    return Reading(reply=reply, text=written, problem=problem, announces=announces)
