"""What the model is told of a tool holds nothing that people could not see as well."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.fakes.kernel import Model, play, says, tool

HIDDEN = "Books\x00 a \ud800room\u202e.\u200b\U000e0041"


def declared(parameters: Any) -> dict[str, Any]:
    model = Model([says("Good day to you.")])
    play(model, replace(tool(parameters=parameters), description=HIDDEN))
    assert model.requests[0].tools is not None
    function: dict[str, Any] = model.requests[0].tools[0]["function"]
    return function


def test_a_description_is_cleaned() -> None:
    assert declared(None)["description"] == "Books\ufffd a \ufffdroom."


def test_so_are_those_within_the_schema() -> None:
    room = {"type": "string", "description": HIDDEN, "enum": ["a\u200bb"]}
    shown = declared({"type": "object", "properties": {"room": room, "description": {"type": "string"}}})
    properties = shown["parameters"]["properties"]
    assert properties["room"]["description"] == "Books\ufffd a \ufffdroom."
    # Values and names are what the backend compares with; nothing is changed about them.
    assert properties["room"]["enum"] == ["a\u200bb"]
    assert properties["description"] == {"type": "string"}
