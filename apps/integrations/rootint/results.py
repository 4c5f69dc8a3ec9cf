"""What a tool answered (contract §7.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from apps.foundation.text import clean
from apps.integrations.rootint.images import ToolImage, read_images

MAX_ERROR = 2_000

UNREADABLE = "The community's system gave an answer that cannot be read."
UNREACHABLE = "The community's system cannot be reached right now."
REFUSED = "The community's system did not accept this call."
DECLINED = "The community's system declined without saying why."
NOT_CONNECTED = "This tool is not connected any more."
TOO_LATE = "The community's system took too long."
OUTCOME_UNKNOWN = "Whether the action was carried out is not known."


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool's own word. ``error`` may be shown to the model, ``error_detail`` only to admins.

    ``unknown``: it may have taken effect all the same.
    """

    success: bool
    data: Any = None
    error: str | None = None
    error_detail: str | None = None
    images: tuple[ToolImage, ...] = ()
    # The call may have taken effect although no usable answer came back.
    outcome_unknown: bool = False


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What became of an invocation, over all its attempts."""

    success: bool
    data: Any
    error: str | None
    error_detail: str | None
    images: tuple[ToolImage, ...] = field(repr=False)
    attempts: int
    duration_ms: int
    outcome_unknown: bool = False


class BadResult(ValueError):
    """The reply does not have the form of a tool's result."""


def read_result(value: Any) -> ToolResult:
    """A result out of JSON; raises :class:`BadResult`."""
    if not isinstance(value, dict) or not isinstance(value.get("success"), bool):
        raise BadResult("a result is an object with success true or false")
    images = read_images(value.get("images"))
    if value["success"]:
        return ToolResult(success=True, data=value.get("data"), images=images)
    detail = value.get("error_detail")
    return ToolResult(
        success=False,
        data=value.get("data"),
        error=_sentence(value.get("error")) or DECLINED,
        error_detail=detail[:MAX_ERROR] if isinstance(detail, str) else None,
        images=images,
    )


def failed(error: str, *, detail: str) -> ToolResult:
    """A result that Root itself has to give."""
    return ToolResult(success=False, error=error, error_detail=detail)


def unsure(error: str, *, detail: str, harmless: bool) -> ToolResult:
    """The same for a call that may have arrived: unless it is harmless, it may have taken effect."""
    if harmless:
        return failed(error, detail=detail)
    return ToolResult(
        success=False, error=f"{error} {OUTCOME_UNKNOWN}", error_detail=detail, outcome_unknown=True
    )


def _sentence(given: Any) -> str:
    return clean(given).strip()[:MAX_ERROR] if isinstance(given, str) else ""
