"""Without its patterns a schema may allow more than it said, never less."""

from __future__ import annotations

from typing import Any

import pytest

from apps.agent.kernel.schema import compile_check

Z = {"properties": {"x": {"pattern": "^z"}}}


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"x": {"type": "string", "not": {"pattern": "^ "}}}},
        {"properties": {"x": {"oneOf": [{"pattern": "^a"}, {"pattern": "^b"}]}}},
        {"if": Z, "then": {"required": ["y"]}},
        {"not": Z},
        {"not": {"$ref": "#/$defs/z"}, "$defs": {"z": Z}},
        {"properties": {"l": {"contains": {"pattern": "^z"}, "maxContains": 0}}},
        {"dependentSchemas": {"x": {"not": Z}}},
        {"patternProperties": {"^x": {}}, "properties": {"l": {}}, "unevaluatedProperties": False},
        {
            "if": {"properties": {"x": {"pattern": "^a"}}},
            "properties": {"l": {}},
            "unevaluatedProperties": False,
        },
    ],
)
def test_what_the_patterns_allow_is_not_refused(schema: dict[str, Any]) -> None:
    assert compile_check(schema, tool="t")({"x": "abc", "l": ["abc"]}) is None


def test_what_has_no_pattern_keeps_its_force() -> None:
    check = compile_check({"properties": {"x": {"not": {"const": "abc"}}}}, tool="t")
    assert check({"x": "abc"}) is not None
