"""What the model is told about the round it is in; each instruction lives for one request (contract §4.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from apps.agent.kernel.constants import PLAN_BULLET_LENGTH, PLAN_BULLETS, PLAN_STATUS_LENGTH

if TYPE_CHECKING:
    from apps.agent.kernel.types import Message, Phase

# What the planning instruction may ask for: which round this is, and how many there are at most.
ROUND: Final = "{{round}}"
MOST_ROUNDS: Final = "{{mostRounds}}"

_PLANNING: Final = f"""\
PLANNING ROUND {ROUND} of at most {MOST_ROUNDS}.
Decide which tools this request needs and call every one of them now, side by side in this single reply; \
they run at the same time. A call that needs the result of another waits for the next round, if there is one.
Beside the calls write a plan and nothing else. The person watches it while the tools run:
- a first line of at most {PLAN_STATUS_LENGTH} characters that says what you are doing;
- then exactly {PLAN_BULLETS} bullets ("- …") of at most {PLAN_BULLET_LENGTH} characters, one each lookup. \
With fewer real lookups than bullets, fill the rest with light-hearted banter that promises nothing.
The plan is never the answer: no facts, results or claims in it, and never a plan without its calls.
If no tool can help (a greeting, a thank-you, a question about what was already said here), or if the \
results above already suffice, call none and write the complete final answer instead, without a plan."""

_LAST_PLANNING: Final = "This is the last round in which tools can be called."

_ANSWER: Final = """\
ANSWER ROUND. Tools are closed; nothing more can be looked up or done in this turn.
Write the final reply to the person now. Build it only from the tool results and the conversation above. \
Add no fact, name, number, code, link or promise that is not found there, and report an action as done \
only if its call returned success. If results are missing, empty, cut or failed, say so plainly.
No plan, no announcement of further steps, and no tool call written out as text."""


@dataclass(frozen=True, kw_only=True)
class PhaseTexts:
    """The instructions in words that a caller may replace. ``last_planning`` follows in the last planning round."""

    planning: str = field(default=_PLANNING, repr=False)
    last_planning: str = field(default=_LAST_PLANNING, repr=False)
    answer: str = field(default=_ANSWER, repr=False)


BUILT_IN: Final = PhaseTexts()


def instruction(phase: Phase, *, number: int, most: int, texts: PhaseTexts = BUILT_IN) -> Message:
    """The message that goes out with one request of this phase."""
    return {
        "role": "system",
        "content": texts.answer if phase == "answer" else _planning(number, most, texts),
    }


def _planning(number: int, most: int, texts: PhaseTexts) -> str:
    said = [texts.planning, texts.last_planning] if number >= most else [texts.planning]
    text = "\n".join(filter(None, said))
    return text.replace(ROUND, str(number)).replace(MOST_ROUNDS, str(most))
