"""All the words a model is given: defaults, lines, phase texts, a community's additions (contract §4.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

from apps.agent.kernel.phases import BUILT_IN, PhaseTexts
from apps.agent.prompts.guidance import Lines, built_in_lines
from apps.agent.prompts.registry import prompt, prompts


@dataclass(frozen=True, kw_only=True)
class Wording:
    """Texts by key. An addition stands after its default and never in place of it."""

    defaults: Mapping[str, str]
    lines: Lines
    phases: PhaseTexts = field(default=BUILT_IN)
    additions: Mapping[str, str] = field(default_factory=dict)

    def default(self, key: str) -> str:
        """The default text; raises :class:`UnknownPrompt`."""
        return self.defaults.get(key, prompt(key).default)

    def addition(self, key: str) -> str:
        """The community's addition, or an empty string; raises :class:`UnknownPrompt`."""
        return self.additions.get(prompt(key).key, "")


@cache
def built_in_wording() -> Wording:
    """What Root comes with, without any community's additions."""
    return Wording(
        defaults=MappingProxyType({key: entry.default for key, entry in prompts().items()}),
        lines=built_in_lines(),
    )
