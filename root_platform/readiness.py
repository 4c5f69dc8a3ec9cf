"""What a web process does before its first request, so that no member waits for it (contract §0.2)."""

import ctypes
import gc
from importlib import import_module

from apps.foundation import pace
from apps.foundation.database import stand_ready

# The model client loads these when first used: a second or two, in the middle of somebody's question.
_LATE = ("openai.resources.chat.completions", "openai.resources.embeddings", "apps.agent.turns")
# Numbers of glibc's mallopt(3).
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_LARGE_BYTES = 64 * 1024


def prepare() -> None:
    """Loads what would load late, opens the connections turns will use, and settles how memory is given back."""
    _give_large_blocks_back()
    for module in _LATE:
        import_module(module)
    stand_ready(pace.places())
    # What is loaded now stays. Left among the young it would put off full collections until a quarter as much
    # again is garbage, which after a busy minute is a lot of memory.
    gc.collect()
    gc.freeze()


def _give_large_blocks_back() -> None:
    """Transcripts come and go by the hundred; left to itself glibc keeps them in a heap that only grows."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGE_BYTES)
        mallopt(_TRIM_THRESHOLD, _LARGE_BYTES)
