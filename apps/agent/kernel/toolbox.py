"""The tools of one run: what is offered to the model, and who answers to which name (contract §4.3)."""

from collections.abc import Iterable
from typing import Any

from apps.agent.kernel.plain import plain, visible
from apps.agent.kernel.schema import Check, compile_check
from apps.agent.kernel.types import KernelTool

_LABEL_LENGTH = 100
_EXPLANATIONS = frozenset({"title", "description", "$comment"})


def label_of(tool: KernelTool) -> str:
    """What people read of a tool. A label of blanks is none, and the name stands in for it."""
    return " ".join(visible(tool.label or "").split())[:_LABEL_LENGTH].strip() or tool.name


class Toolbox:
    """Of two tools with one name the first counts: a provider refuses a list that repeats itself."""

    def __init__(self, tools: Iterable[KernelTool]) -> None:
        self._tools: dict[str, KernelTool] = {}
        self._checks: dict[str, Check] = {}
        self._offered: list[dict[str, Any]] | None = None
        for tool in tools:
            self._tools.setdefault(tool.name, tool)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._tools)

    def find(self, name: str) -> KernelTool | None:
        return self._tools.get(name)

    def problem(self, tool: KernelTool, arguments: dict[str, Any]) -> str | None:
        """What is wrong with the arguments, if anything; each schema is compiled once."""
        if tool.name not in self._checks:
            self._checks[tool.name] = compile_check(tool.parameters, tool=tool.name)
        return self._checks[tool.name](arguments)

    def offered(self) -> list[dict[str, Any]]:
        if self._offered is None:
            self._offered = [
                {"type": "function", "function": _declared(tool)} for tool in self._tools.values()
            ]
        return self._offered


def _declared(tool: KernelTool) -> dict[str, Any]:
    parameters: Any = _described(plain(tool.parameters))
    if not isinstance(parameters, dict) or not parameters:
        parameters = {"type": "object", "properties": {}}
    return {"name": tool.name, "description": visible(tool.description or ""), "parameters": parameters}


def _described(schema: Any) -> Any:
    """A schema whose explanations hide nothing from people that a model would read; names stay as they are."""
    if isinstance(schema, list):
        return [_described(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: visible(item) if key in _EXPLANATIONS and isinstance(item, str) else _described(item)
        for key, item in schema.items()
    }
