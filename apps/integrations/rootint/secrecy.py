"""A backend that repeats its signing secret must not carry it into prompts, logs or audit rows (contract §7.1)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from apps.integrations.rootint.results import ToolResult

WITHHELD: Final = "[secret]"


def withheld(result: ToolResult, *, secret: str) -> ToolResult:
    """The result with the secret taken out of every text in it."""
    return replace(
        result,
        data=without(secret, result.data),
        error=without(secret, result.error),
        error_detail=without(secret, result.error_detail),
    )


def without(secret: str, value: Any) -> Any:
    """Any JSON value with the secret taken out of its texts and names."""
    if isinstance(value, str):
        return value.replace(secret, WITHHELD) if secret and secret in value else value
    if isinstance(value, list):
        return [without(secret, entry) for entry in value]
    if isinstance(value, dict):
        return {without(secret, name): without(secret, entry) for name, entry in value.items()}
    return value
