"""Arguments made up for a tool fit its schema, and those meant not to fit do not."""

from __future__ import annotations

from typing import Any

import pytest

from apps.integrations.conformance.arguments import fits, fitting, unfitting

SCHEMAS: list[dict[str, Any]] = [
    {"type": "object", "properties": {}, "additionalProperties": False},
    {
        "type": "object",
        "properties": {
            "a": {"type": "string", "minLength": 12, "maxLength": 13},
            "n": {"type": "integer", "minimum": 5},
        },
        "required": ["a", "n"],
    },
    {
        "type": "object",
        "properties": {"x": {"enum": ["p", "q"]}, "y": {"type": ["null", "string"]}},
        "required": ["x", "y"],
    },
    {
        "type": "object",
        "properties": {"q": {"type": "string"}, "names": {"type": "array"}},
        "minProperties": 1,
    },
    {
        "type": "object",
        "properties": {"at": {"type": "object", "properties": {"when": {"const": 3}}, "required": ["when"]}},
        "required": ["at"],
    },
    {
        "type": "object",
        "properties": {"l": {"type": "array", "items": {"type": "number"}, "minItems": 2}},
        "required": ["l"],
    },
]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_made_up_arguments_fit_and_spoilt_ones_do_not(schema: dict[str, Any]) -> None:
    good, bad = fitting(schema), unfitting(schema)

    assert good is not None
    assert fits(schema, good)
    assert bad is not None
    assert not fits(schema, bad)


def test_what_cannot_be_guessed_is_not_guessed() -> None:
    schema = {
        "type": "object",
        "properties": {"iban": {"type": "string", "pattern": "^DE[0-9]{20}$"}},
        "required": ["iban"],
    }

    assert fitting(schema) is None


def test_a_schema_that_allows_everything_refuses_nothing() -> None:
    assert unfitting({"type": "object"}) is None


@pytest.mark.parametrize(
    "schema",
    [{"$ref": "#/nowhere"}, {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}}],
)
def test_references_that_lead_nowhere_end(schema: dict[str, Any]) -> None:
    assert fitting(schema) is None
