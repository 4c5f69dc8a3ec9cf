"""How layers stand one after another."""

from __future__ import annotations

import pytest

from apps.agent.prompts.layers import Layer, join_layers, set_apart
from apps.agent.prompts.registry import BASE


def layer(text: str, name: str = "x") -> Layer:
    return Layer(name=name, origin="default", text=text)


@pytest.mark.parametrize(
    ("before", "text", "blank", "apart"),
    [
        (layer("- a"), "- b", False, False),
        (layer("- a"), "- b", True, True),
        (layer("- a"), "Prose.", False, True),
        (layer("Prose."), "- b", False, True),
        (layer("Prose."), "More.", False, False),
        (layer("- a"), "HEAD:\n- b", False, True),
        (layer("Prose."), "HEAD:\n- b", False, True),
        (layer("HEAD:\n- a", name="other"), "- b", False, True),
        (layer("HEAD:\n- a", name="x"), "- b", False, False),
        (layer("HEAD:\n- a", name=BASE), "- b", False, False),
        (layer("HEAD:\n• a", name="x"), "- b", False, False),
        (None, "- b", False, True),
    ],
)
def test_what_runs_on(before: Layer | None, text: str, blank: bool, apart: bool) -> None:
    assert set_apart(layer(text), after=before, blank=blank).apart is apart


def test_the_first_layer_has_nothing_before_it() -> None:
    first = set_apart(layer("- a"), after=None, blank=False)
    assert (
        join_layers([first, set_apart(layer("HEAD:\n- b"), after=first, blank=False)]) == "- a\n\nHEAD:\n- b"
    )
