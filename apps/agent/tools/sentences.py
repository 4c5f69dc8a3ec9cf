"""Errors a person may read, as results of tools."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from apps.agent.tools.declaration import ToolResult, ToolUse, failed
from apps.foundation.errors import RootError

Execute = Callable[[dict[str, Any], ToolUse], ToolResult]


def with_sentences(execute: Execute) -> Execute:
    """An intended error becomes a result: its code for machines, its sentence for the model."""

    def answered(arguments: dict[str, Any], use: ToolUse) -> ToolResult:
        try:
            return execute(arguments, use)
        except RootError as error:
            return failed(error.message, code=error.code)

    return answered
