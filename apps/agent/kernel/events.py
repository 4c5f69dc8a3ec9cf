"""The running commentary of a turn, delivered one event at a time from whichever thread it comes."""

import threading
from collections.abc import Callable

from apps.agent.kernel.constants import PROGRESS_LENGTH
from apps.agent.kernel.plain import clean, said, visible
from apps.agent.kernel.shield import shielded
from apps.agent.kernel.types import Event, Phase

_NAME_LENGTH = 100


class Events:
    """A listener that raises is passed over; one that emits again from within does not deadlock."""

    def __init__(self, listener: Callable[[Event], None]) -> None:
        self._listener = listener
        self._lock = threading.RLock()
        self._open = True
        self.last_progress: dict[str, str] = {}

    def close(self) -> None:
        """A thread left behind by a timeout may still talk; after this nobody hears it."""
        with self._lock:
            self._open = False

    def phase(self, phase: Phase, *, round_number: int) -> None:
        self._emit({"type": "phase", "phase": phase, "round": round_number})

    def plan(self, text: str) -> None:
        """`text` is read as a reply is; what nobody could see of it is no plan."""
        if visible(text).strip():
            self._emit({"type": "plan", "text": text})

    def tool(self, call_id: str, *, name: str, label: str, status: str) -> None:
        """`status` is running, done, failed or unknown; the last goes out as a failure that carries a doubt."""
        shown = {"name": clean(name)[:_NAME_LENGTH], "label": clean(label)[:_NAME_LENGTH]}
        doubt = {"outcome_unknown": True} if status == "unknown" else {}
        self._emit({"type": "tool", "id": call_id, **shown, "status": "failed" if doubt else status, **doubt})

    def progress(self, call_id: str, *, message: object) -> None:
        text = said(message).strip()[:PROGRESS_LENGTH]
        if text:
            self.last_progress[call_id] = text
            self._emit({"type": "progress", "id": call_id, "message": text})

    def _emit(self, event: Event) -> None:
        with self._lock:
            if self._open:
                shielded(lambda: self._listener(event), otherwise=None, what="the event listener")
