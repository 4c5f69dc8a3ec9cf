"""Places at work: so many at once, left while waiting, and never a lock."""

from __future__ import annotations

import threading

import pytest

from apps.foundation.pace import Pace

WAIT = 30.0


class Worker:
    """A thread that comes to work, says so, and stays until it is let go."""

    def __init__(self, pace: Pace, *, away: bool = False) -> None:
        self.came, self.left, self.go = threading.Event(), threading.Event(), threading.Event()
        self._pace, self._away = pace, away
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        with self._pace.at_work():
            self.came.set()
            if self._away:
                with self._pace.away():
                    self.left.set()
                    self.go.wait(WAIT)
            else:
                self.go.wait(WAIT)

    def end(self) -> None:
        self.go.set()
        self._thread.join(WAIT)
        assert not self._thread.is_alive()


@pytest.fixture
def pace() -> Pace:
    return Pace(1, patience=WAIT)


def test_the_next_one_waits_for_a_free_place(pace: Pace) -> None:
    first = Worker(pace)
    assert first.came.wait(WAIT)
    second = Worker(pace)
    assert not second.came.wait(0.1)
    first.end()
    assert second.came.wait(WAIT)
    second.end()


def test_who_waits_for_the_outside_leaves_its_place(pace: Pace) -> None:
    first = Worker(pace, away=True)
    assert first.left.wait(WAIT)
    second = Worker(pace)
    assert second.came.wait(WAIT)
    second.end()
    first.end()


def test_one_thread_has_one_place_however_often_it_asks(pace: Pace) -> None:
    with pace.at_work(), pace.at_work(), pace.away(), pace.at_work():
        pass
    with pace.at_work():
        pass


def test_who_raises_leaves_too(pace: Pace) -> None:
    for _ in range(3):
        with pytest.raises(ValueError, match="x"), pace.at_work(), pace.away():
            raise ValueError("x")


def test_being_away_without_being_at_work_is_nothing(pace: Pace) -> None:
    with pace.away():
        pass
    with pace.at_work():
        pass


def test_nobody_waits_for_ever() -> None:
    pace = Pace(1, patience=0.05)
    first = Worker(pace)
    assert first.came.wait(WAIT)
    impatient = Worker(pace)
    assert impatient.came.wait(WAIT)
    impatient.end()
    third = Worker(pace)
    assert third.came.wait(WAIT)
    third.end()
    first.end()
    with pace.at_work():
        pass
