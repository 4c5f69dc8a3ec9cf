"""How the scripted model behaves in a turn that searches, looks somebody up and answers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Literal

from tests.fakes.llm import Reply, calls, says

WAIT = 30.0
PLAN = "Looking at the house rules for you\n- Find the guest rules\n- See who knows\n- Compare\n- Check\n- Answer"
ENOUGH = "I have everything I need to answer this now."
Step = Literal["plan", "enough", "answer"]


def step_of(request: Mapping[str, Any]) -> Step:
    """Where in the turn the model is asked."""
    if not request.get("tools"):
        return "answer"
    # The conversation before this turn has no tool messages of its own.
    return "enough" if any(message["role"] == "tool" for message in request["messages"]) else "plan"


def searching(answer: str) -> Callable[[dict[str, Any], Mapping[str, str]], Reply]:
    """Plans two calls, is content with their results, answers."""

    def respond(request: dict[str, Any], _headers: Mapping[str, str]) -> Reply:
        step = step_of(request)
        if step == "plan":
            wanted = [
                ("search_knowledge_base", {"query": "guests"}),
                ("search_members", {"query": "pricing"}),
            ]
            offered = {tool["function"]["name"] for tool in request["tools"]}
            return calls(*[call for call in wanted if call[0] in offered], text=PLAN)
        return says(ENOUGH if step == "enough" else answer)

    return respond


class Gate:
    """Holds the model back at one step until the test lets it go on."""

    def __init__(self, step: Step, answer: str) -> None:
        self.reached = threading.Event()
        self._open = threading.Event()
        self._step = step
        self._respond = searching(answer)

    def open(self) -> None:
        self._open.set()

    def __call__(self, request: dict[str, Any], headers: Mapping[str, str]) -> Reply:
        if step_of(request) == self._step:
            self.reached.set()
            self._open.wait(WAIT)
        return self._respond(request, headers)
