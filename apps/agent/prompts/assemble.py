"""From the facts of a turn to its prompt: nine sections, always in the same order (contract §4.5, §A.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from apps.agent.prompts.facts import PromptFacts
from apps.agent.prompts.layers import Layer, join_layers, set_apart
from apps.agent.prompts.parts import Parts
from apps.agent.prompts.registry import BASE
from apps.agent.prompts.render import PLACEHOLDER
from apps.agent.prompts.sections import SLOTS
from apps.agent.prompts.wording import Wording, built_in_wording


def assemble(facts: PromptFacts, *, wording: Wording | None = None) -> list[Layer]:
    """The layers of a turn's prompt; :func:`join_layers` makes it one text."""
    parts = Parts(facts, wording or built_in_wording())
    arranged: list[Layer] = []
    blank = False
    for piece in _with_addition(parts, list(_pieces(parts.wording.default(BASE)))):
        blank = blank or piece.blank
        for layer in piece.layers(parts):
            arranged.append(set_apart(layer, after=arranged[-1] if arranged else None, blank=blank))
            blank = False
    return arranged


def render_prompt(facts: PromptFacts, *, wording: Wording | None = None) -> str:
    """The prompt as one text."""
    return join_layers(assemble(facts, wording=wording))


@dataclass(frozen=True)
class _Piece:
    """A stretch of the master prompt: either text of its own, or a slot others fill."""

    text: str
    slot: str | None = None
    blank: bool = False
    addition: Layer | None = None

    def layers(self, parts: Parts) -> list[Layer]:
        if self.addition:
            return [self.addition]
        if self.slot:
            return SLOTS[self.slot](parts)
        text = parts.filled(self.text)
        return [Layer(name=BASE, origin="default", text=text)] if text else []


def _pieces(template: str) -> Iterator[_Piece]:
    """Cuts the master prompt at blank lines and at lines that hold nothing but a slot."""
    lines: list[str] = []
    blank = False
    for line in [*template.split("\n"), ""]:
        found = PLACEHOLDER.fullmatch(line.strip())
        slot = found[1] if found and found[1] in SLOTS else None
        if line.strip() and not slot:
            lines.append(line)
            continue
        if lines:
            yield _Piece("\n".join(lines), blank=blank)
            lines, blank = [], False
        if slot:
            yield _Piece("", slot=slot, blank=blank)
        blank = not slot


def _with_addition(parts: Parts, pieces: list[_Piece]) -> list[_Piece]:
    """The community's addition to the master prompt follows its last rule.

    The date and the line that says for whom the reply is stay last, since other texts point at the end.
    """
    addition = parts.addition(BASE)
    if not addition.text:
        return pieces
    dated = (index for index, piece in enumerate(pieces) if "currentDateTime" in piece.text)
    at = next(dated, len(pieces))
    return [*pieces[:at], _Piece("", blank=True, addition=addition), *pieces[at:]]
