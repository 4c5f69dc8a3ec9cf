"""Making layers from texts: default or character first, the community's addition after it (contract §4.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from apps.agent.prompts import guidance
from apps.agent.prompts.facts import PromptFacts
from apps.agent.prompts.layers import Layer, Origin
from apps.agent.prompts.pruning import without_absent_tools
from apps.agent.prompts.registry import CHARACTER_KEYS
from apps.agent.prompts.render import render
from apps.agent.prompts.values import short_values
from apps.agent.prompts.wording import Wording
from apps.foundation.text import clean, neutralize


@dataclass(frozen=True)
class Parts:
    """One turn's facts with the words to speak of them."""

    facts: PromptFacts
    wording: Wording
    values: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", short_values(self.facts))

    def text(self, key: str, *, origin: Origin = "default", **more: str) -> list[Layer]:
        """The layers of one key; ``more`` are values of its own. ``origin`` says whose words fill it."""
        values = {**self.values, **more}
        character = clean(self.facts.character).strip() if key in CHARACTER_KEYS else ""
        if character:
            first = Layer(name=key, origin="tenant", text=character)
        else:
            first = Layer(name=key, origin=origin, text=self._default(key, values))
        return [layer for layer in (first, self.addition(key, values)) if layer.text]

    def addition(self, key: str, values: Mapping[str, str] | None = None) -> Layer:
        """What the community added to a key, perhaps empty."""
        text = render(self.wording.addition(key), self.values if values is None else values)
        return Layer(name=key, origin="tenant", text=text.strip())

    def filled(self, template: str) -> str:
        """A piece of built-in text: only what the tools at hand allow, with its values."""
        return render(without_absent_tools(template, tools=self.facts.tool_names), self.values)

    def chosen(self, name: str, text: str) -> list[Layer]:
        """Lines a builder of :mod:`guidance` chose."""
        text = without_absent_tools(text, tools=self.facts.tool_names)
        return [Layer(name=name, origin="default", text=text)] if text else []

    @property
    def lines(self) -> guidance.Lines:
        return self.wording.lines

    def _default(self, key: str, values: Mapping[str, str]) -> str:
        template = without_absent_tools(self.wording.default(key), tools=self.facts.tool_names)
        return render(template, values)


def quoted(text: str, *, limit: int = 8000) -> str:
    """Several lines that people wrote, marked line by line so that none can pose as a line of the prompt."""
    safe = neutralize(text[: limit * 2]).strip()[:limit]
    return "\n".join(f"> {line}".rstrip() for line in safe.splitlines())
