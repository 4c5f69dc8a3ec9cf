"""Asked for JSON, the model gives the smallest valid answer: judges say no."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from scripts.offline_model.schemas import smallest

VERDICT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "match": {"type": "boolean"},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "kind": {"type": "string", "enum": ["urgent", "none"]},
        "reason": {"type": "string"},
        "ids": {"type": "array", "items": {"type": "string"}},
        "extra": {"type": "string"},
    },
    "required": ["match", "confidence", "kind", "reason", "ids"],
    "additionalProperties": False,
}


def test_a_judge_says_no(ask: Callable[..., Any]) -> None:
    wanted = {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": VERDICT}}
    message = ask("Does this match?", response_format=wanted)
    expected = {"match": False, "confidence": 0, "kind": "none", "reason": "", "ids": []}
    assert json.loads(message["content"]) == expected


def test_an_object_without_a_schema_is_empty(ask: Callable[..., Any]) -> None:
    assert ask("Give me JSON.", response_format={"type": "json_object"})["content"] == "{}"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "null"]},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"oneOf": [{"type": "integer", "minimum": 3}, {"type": "string"}]},
        {"type": "integer", "exclusiveMinimum": 5},
        {"type": "number", "maximum": -2},
        {"type": "string", "minLength": 4},
        {
            "type": "array",
            "minItems": 2,
            "items": {"type": "object", "required": ["a"], "properties": {"a": {"const": 7}}},
        },
        {"enum": ["maybe", None]},
        {"enum": [2, 3]},
        {
            "$ref": "#/$defs/a~1b",
            "$defs": {"a/b": {"type": "object", "required": ["x"], "properties": {"x": {"type": "boolean"}}}},
        },
        {
            "allOf": [
                {"required": ["a"], "properties": {"a": {"type": "integer"}}},
                {"type": "object", "required": ["b"]},
            ]
        },
        {"type": "object", "required": ["free"]},
        {},
    ],
)
def test_the_answer_is_valid(schema: dict[str, Any]) -> None:
    assert list(Draft202012Validator(schema).iter_errors(smallest(schema))) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "#/nowhere"},
        {
            "$defs": {"t": {"type": "object", "required": ["t"], "properties": {"t": {"$ref": "#/$defs/t"}}}},
            "$ref": "#/$defs/t",
        },
        {"type": 5, "properties": 3},
        {"type": "array", "minItems": 10**9, "items": {"type": "null"}},
        {"allOf": [3, {"$ref": 4}]},
        {"required": [1, {}]},
    ],
)
def test_senseless_schemas_end(schema: dict[str, Any]) -> None:
    json.dumps(smallest(schema))
