"""The three retry counters of a run; none of them is ever refilled (contract §4.2)."""

from typing import Literal

from apps.agent.kernel.constants import MAX_RETRIES_EACH

Counter = Literal["empty_response_retries", "unexecuted_plan_retries", "exhausted_tool_recovery_attempts"]


class Budget:
    def __init__(self) -> None:
        self._spent: dict[Counter, int] = {}

    def spend(self, counter: Counter) -> bool:
        """False: there was nothing left to spend."""
        spent = self._spent.get(counter, 0)
        if spent >= MAX_RETRIES_EACH:
            return False
        self._spent[counter] = spent + 1
        return True
