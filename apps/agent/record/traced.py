"""What tools are given and give, as a tracer is told it: disarmed like the transcript's, redacted like the record's
(contract §3.3, §4.3, §4.7)."""

from __future__ import annotations

from typing import Any, Final

from apps.agent import fencing
from apps.agent.record.redaction import redacted

TEXT_LIMIT: Final = 4_000
# For admins, for the screen, and for the record.
_LEFT_OUT: Final = frozenset({"error_detail", "images", "flight"})


def traced_tool(value: Any) -> Any:
    """The arguments of a tool, or its result."""
    if not isinstance(value, dict):
        return f"<{type(value).__name__}>"
    told, _ = fencing.disarmed({name: item for name, item in value.items() if name not in _LEFT_OUT})
    return redacted(told, limit=TEXT_LIMIT)
