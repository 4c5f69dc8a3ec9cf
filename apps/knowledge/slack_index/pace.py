"""How fast history is read: slowly at first, then faster until Slack objects; pure (contract §8.2).

The least is one call a minute with fifteen messages; the most, Slack's Tier 3, fifty calls a minute.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Self

SLOWEST: Final = 60.0
FASTEST: Final = 1.2
SMALLEST: Final = 15
LARGEST: Final = 200
CALM: Final = 10
"""So many calls must go well after Slack has objected before a little more is dared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Seconds between two calls, and messages asked for with each."""

    seconds: float = SLOWEST
    size: int = SMALLEST
    objected: bool = False
    calm: int = 0

    @classmethod
    def read(cls, stored: Any) -> Self:
        """From a checkpoint; the slowest where there is none."""
        try:
            return cls(
                seconds=min(max(float(stored["seconds"]), FASTEST), SLOWEST),
                size=min(max(int(stored["size"]), SMALLEST), LARGEST),
                objected=bool(stored["objected"]),
                calm=int(stored["calm"]),
            )
        except (KeyError, TypeError, ValueError):
            return cls()

    def as_json(self) -> dict[str, Any]:
        return {"seconds": self.seconds, "size": self.size, "objected": self.objected, "calm": self.calm}

    def after_success(self) -> Self:
        larger = min(self.size * 2, LARGEST)
        if not self.objected:
            return replace(self, seconds=max(self.seconds / 2, FASTEST), size=larger)
        if self.calm + 1 < CALM:
            return replace(self, calm=self.calm + 1, size=larger)
        return replace(self, seconds=max(self.seconds * 0.8, FASTEST), calm=0, size=larger)

    def after_objection(self) -> Self:
        return replace(self, seconds=min(self.seconds * 2, SLOWEST), objected=True, calm=0)
