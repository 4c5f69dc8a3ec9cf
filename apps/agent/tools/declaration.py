"""What a tool is, whoever brings it (contract §5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

Channel = Literal["slack", "email", "api", "web"]
Origin = Literal["core", "integration", "community"]
ToolResult = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """One use of a tool: who asks, from where, and how to speak up while it runs."""

    invocation_id: UUID
    report_progress: Callable[[str], None] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool as the surface offers it.

    ``parameters`` is a JSON Schema of an object. ``execute`` returns ``{success, data?, error?, error_detail?,
    images?}``. ``channels`` None means every channel. ``mutates`` is true unless the tool only reads. ``available`` is
    false where this installation lacks what the tool works with: then nobody is offered it.
    """

    name: str
    description: str
    label: str
    parameters: dict[str, Any] = field(repr=False)
    execute: Callable[[dict[str, Any], ToolUse], ToolResult] = field(repr=False)
    mutates: bool
    channels: frozenset[str] | None = None
    timeout_seconds: float | None = None
    origin: Origin = "core"
    provider: str = ""
    available: bool = True


def failed(error: str, **more: Any) -> ToolResult:
    """A result that says what went wrong, in words the model may repeat."""
    return {"success": False, "error": error, **more}
