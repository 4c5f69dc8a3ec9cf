"""A day of a queue as small bars, drawn on the server: no script, no inline style (contract §14.1)."""

from __future__ import annotations

from dataclasses import dataclass

from apps.dashboard.ops.admin.figures import Hours

BAR, GAP, HEIGHT = 5, 2, 28


@dataclass(frozen=True, slots=True)
class Bar:
    """One rectangle of the drawing."""

    x: int
    y: float
    height: float
    failed: bool


@dataclass(frozen=True, slots=True)
class Chart:
    """What the template draws, and says to those who do not see it."""

    bars: list[Bar]
    width: int
    height: int
    words: str


def chart(hours: Hours) -> Chart:
    """Completed jobs at the bottom, failed ones on top of them, the fullest hour as high as the drawing."""
    pairs = list(zip(hours.completed, hours.failed, strict=True))
    top = max((done + failed for done, failed in pairs), default=0) or 1
    bars: list[Bar] = []
    for place, (done, failed) in enumerate(pairs):
        x, low, high = place * (BAR + GAP), _scaled(done, top), _scaled(failed, top)
        if done:
            bars.append(Bar(x=x, y=HEIGHT - low, height=low, failed=False))
        if failed:
            bars.append(Bar(x=x, y=HEIGHT - low - high, height=high, failed=True))
    return Chart(bars=bars, width=len(pairs) * (BAR + GAP), height=HEIGHT, words=_words(hours))


def _scaled(count: int, top: int) -> float:
    return round(HEIGHT * count / top, 2)


def _words(hours: Hours) -> str:
    return f"{sum(hours.completed)} completed, {sum(hours.failed)} failed in the last {len(hours.completed)} hours"
