"""A prompt as a list of layers, each with a name and an origin, joined last (contract §4.5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from apps.agent.prompts.registry import BASE

Origin = Literal["default", "tenant", "manifest", "person", "tools"]


@dataclass(frozen=True, kw_only=True)
class Layer:
    """A piece of the prompt: where it comes from, and whether a blank line stands before it."""

    name: str
    origin: Origin
    text: str
    apart: bool = False


def join_layers(layers: Iterable[Layer]) -> str:
    """The prompt as the model reads it."""
    written = ""
    for layer in layers:
        gap = ("\n\n" if layer.apart else "\n") if written else ""
        written += gap + layer.text
    return written


def set_apart(layer: Layer, *, after: Layer | None, blank: bool) -> Layer:
    """The layer as it stands after another; ``blank`` says that the template has a blank line there."""
    return replace(layer, apart=blank or after is None or not _runs_on(layer, after))


def _runs_on(layer: Layer, after: Layer) -> bool:
    """A list goes on in a list and a sentence in a sentence, unless a section of its own ends in between."""
    if opens_section(layer.text):
        return False
    if opens_section(after.text) and after.name not in {layer.name, BASE}:
        return False
    return _starts_with_bullet(layer.text) == _ends_with_bullet(after.text)


def opens_section(text: str) -> bool:
    """Does this text bring a heading of its own?"""
    first = text.split("\n", 1)[0]
    return first.endswith(":") and not _starts_with_bullet(first)


def _starts_with_bullet(text: str) -> bool:
    return text.lstrip().startswith(("- ", "• "))


def _ends_with_bullet(text: str) -> bool:
    return _starts_with_bullet(text.rsplit("\n", 1)[-1])
