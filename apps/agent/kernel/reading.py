"""A reply as the kernel understands it: what it says to a person, and what is wrong with that (contract §4.4)."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

from apps.agent.kernel import wording
from apps.agent.kernel.classify import NonAnswer, is_plan_shaped, non_answer_reason
from apps.agent.kernel.plain import clean
from apps.agent.kernel.pretended import without_pretended_calls
from apps.agent.kernel.pretended_tags import without_thinking
from apps.agent.kernel.types import ChatReply

_BROKEN_OFF = {"length": wording.CUT_OFF, "content_filter": wording.FILTERED}
Problem = NonAnswer | Literal["closed_call", "announcement"]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """`problem` None: `text` can be sent. `announces`: it speaks of steps instead of taking them.

    `acts_out`: a call was written out as text; `text` is what stood around it.
    """

    reply: ChatReply = field(repr=False)
    text: str = field(repr=False)
    problem: Problem | None
    announces: bool
    acts_out: bool = False

    @property
    def sendable(self) -> str:
        """The text as the person gets it; one that was broken off says so."""
        note = _BROKEN_OFF.get(self.reply.finish_reason)
        return f"{self.text}\n\n{note}" if note else self.text


def read(reply: ChatReply, *, tools: Collection[str], tools_ran: bool) -> Reading:
    """A call that is only acted out in the text is taken out first: it happened no more than an announced one."""
    written = without_thinking(clean(reply.text or ""))
    said = without_pretended_calls(written, tools=tools)
    problem = non_answer_reason(said, tools_ran=tools_ran)
    acts_out = said != written
    announces = problem is None and (acts_out or is_plan_shaped(said))
    return Reading(reply=reply, text=said.strip(), problem=problem, announces=announces, acts_out=acts_out)
