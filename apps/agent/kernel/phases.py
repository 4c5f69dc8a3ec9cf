"""What the model is told about the round it is in; each instruction lives for one request (contract §4.1)."""

from apps.agent.kernel.constants import PLAN_BULLET_LENGTH, PLAN_BULLETS, PLAN_STATUS_LENGTH
from apps.agent.kernel.types import Message, Phase

_PLANNING = f"""\
PLANNING ROUND {{number}} of at most {{most}}.
Decide which tools this request needs and call every one of them now, side by side in this single reply; \
they run at the same time. A call that needs the result of another waits for the next round, if there is one.
Beside the calls write a plan and nothing else. The person watches it while the tools run:
- a first line of at most {PLAN_STATUS_LENGTH} characters that says what you are doing;
- then exactly {PLAN_BULLETS} bullets ("- …") of at most {PLAN_BULLET_LENGTH} characters, one each lookup. \
With fewer real lookups than bullets, fill the rest with light-hearted banter that promises nothing.
The plan is never the answer: no facts, results or claims in it, and never a plan without its calls.
If no tool can help (a greeting, a thank-you, a question about what was already said here), call none and \
write the complete final answer instead, without a plan."""

_LAST_PLANNING = "\nThis is the last round in which tools can be called."

_ANSWER = """\
ANSWER ROUND. Tools are closed; nothing more can be looked up or done in this turn.
Write the final reply to the person now. Build it only from the tool results and the conversation above. \
Add no fact, name, number, code, link or promise that is not found there, and report an action as done \
only if its call returned success. If results are missing, empty, cut or failed, say so plainly.
No plan, no announcement of further steps, and no tool call written out as text."""


def instruction(phase: Phase, *, number: int, most: int) -> Message:
    return {"role": "system", "content": _ANSWER if phase == "answer" else _planning(number, most)}


def _planning(number: int, most: int) -> str:
    text = _PLANNING.format(number=number, most=most)
    return text + _LAST_PLANNING if number >= most else text
