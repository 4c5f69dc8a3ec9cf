"""Threads of tools are kept for a moment and used again; one that hangs holds up nobody."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from functools import partial

import pytest

from apps.agent.kernel.threads import Threads


def threads_of(pool: Threads, *, jobs: int) -> set[int]:
    """Runs the jobs one after another, each once the thread before it is idle again."""
    used = set()
    for _ in range(jobs):
        done: list[int] = []
        pool.run(lambda done=done: done.append(threading.get_ident()))  # type: ignore[misc]
        wait_for(lambda done=done: bool(done) and pool.idle == 1)  # type: ignore[misc]
        used.add(done[0])
    return used


def _waits(obstacle: threading.Barrier | threading.Event) -> None:
    obstacle.wait(30)


def wait_for(state: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not state():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def test_a_thread_is_used_again() -> None:
    assert len(threads_of(Threads(), jobs=5)) == 1


def test_jobs_at_the_same_time_have_threads_of_their_own() -> None:
    pool, meeting = Threads(), threading.Barrier(21, timeout=30)
    for _ in range(20):
        pool.run(partial(_waits, meeting))
    meeting.wait()
    wait_for(lambda: pool.idle == 20)


def test_a_job_that_hangs_holds_up_nobody() -> None:
    pool, gate = Threads(), threading.Event()
    pool.run(partial(_waits, gate))
    assert threads_of(pool, jobs=2)
    gate.set()


def test_idle_threads_end() -> None:
    pool = Threads(idle_seconds=0.05)
    mine: list[threading.Thread] = []
    pool.run(lambda: mine.append(threading.current_thread()))
    wait_for(lambda: bool(mine) and not mine[0].is_alive())
    assert pool.idle == 0


def test_no_job_is_lost_while_threads_come_and_go() -> None:
    pool, done = Threads(idle_seconds=0.0005), []
    for number in range(2_000):
        pool.run(lambda number=number: done.append(number))  # type: ignore[misc]
        if number % 3 == 0:
            time.sleep(0.0005)
    wait_for(lambda: len(done) == 2_000)


def test_an_idle_thread_holds_on_to_nothing() -> None:
    class Held:
        def __call__(self) -> None:
            return None

    pool, held = Threads(), Held()
    seen = weakref.ref(held)
    pool.run(held)
    wait_for(lambda: pool.idle == 1)
    del held
    gc.collect()
    assert seen() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_starts_threads_of_its_own() -> None:
    code = (
        "import os, threading\n"
        "from apps.agent.kernel.threads import THREADS\n"
        "def once():\n"
        "    ran = threading.Event(); THREADS.run(ran.set); return ran.wait(20)\n"
        "assert once()\n"
        "while not THREADS.idle: pass\n"
        "child = os.fork()\n"
        "if not child: os._exit(0 if once() else 1)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
