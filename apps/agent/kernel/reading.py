"""A reply as the kernel understands it: what it says to a person, and what is wrong with that (contract §4.4)."""

from collections.abc import Collection
from dataclasses import dataclass, field

from apps.agent.kernel import wording
from apps.agent.kernel.classify import NonAnswer, is_plan_shaped, non_answer_reason
from apps.agent.kernel.plain import clean
from apps.agent.kernel.pretended import without_pretended_calls
from apps.agent.kernel.types import ChatReply


@dataclass(frozen=True, kw_only=True)
class Reading:
    """`problem` None: `text` can be sent. `announces`: it speaks of steps instead of taking them."""

    reply: ChatReply = field(repr=False)
    text: str = field(repr=False)
    problem: NonAnswer | None
    announces: bool

    @property
    def sendable(self) -> str:
        """The text as the person gets it; one that ran out of room says so."""
        return f"{self.text}\n\n{wording.CUT_OFF}" if self.reply.finish_reason == "length" else self.text


def read(reply: ChatReply, *, tools: Collection[str], tools_ran: bool) -> Reading:
    """A call that is only acted out in the text is taken out first: it happened no more than an announced one."""
    written = clean(reply.text or "")
    said = without_pretended_calls(written, tools=tools)
    problem = non_answer_reason(said, tools_ran=tools_ran)
    announces = problem is None and (said != written or is_plan_shaped(said))
    return Reading(reply=reply, text=said.strip(), problem=problem, announces=announces)
