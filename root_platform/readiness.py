"""What a web process does before its first request, so that no member waits for it (contract §0.2)."""

import gc
from importlib import import_module

from apps.foundation import pace
from apps.foundation.database import stand_ready

# The model client loads these when first used: a second or two, in the middle of somebody's question.
_LATE = ("openai.resources.chat.completions", "openai.resources.embeddings", "apps.agent.turns")


def prepare() -> None:
    """Loads what would load late, opens the connections turns will use, and settles the garbage collector."""
    for module in _LATE:
        import_module(module)
    stand_ready(pace.places())
    # What is loaded now stays. Left among the young it would put off full collections until a quarter as much
    # again is garbage, which after a busy minute is a lot of memory.
    gc.collect()
    gc.freeze()
