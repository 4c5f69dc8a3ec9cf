"""The JSON Schema of a backend tool's parameters (contract §7.3)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from jsonschema import validators
from jsonschema.exceptions import SchemaError
from jsonschema.validators import Draft202012Validator

EMPTY_SCHEMA: Mapping[str, Any] = {"type": "object", "properties": {}}
MAX_CHARACTERS = 64_000
MAX_DEPTH = 32
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


def checked_schema(given: Any) -> dict[str, Any]:
    """A schema for an object of arguments; raises ValueError with the reason."""
    if not isinstance(given, dict):
        raise ValueError("must be a JSON Schema object")  # noqa: TRY004 - one kind for every reason
    schema = {"type": "object", **given}
    if schema["type"] != "object":
        raise ValueError("must describe an object")
    if not isinstance(schema.get("$schema", ""), str):
        # The validator looks its dialect up by this before it checks anything.
        raise ValueError("names a $schema that is no text")  # noqa: TRY004 - as above
    _check_references(schema, depth=MAX_DEPTH)
    if len(json.dumps(schema)) > MAX_CHARACTERS:
        raise ValueError(f"is longer than {MAX_CHARACTERS:,} characters")
    try:
        validators.validator_for(schema, default=Draft202012Validator).check_schema(schema)
    except SchemaError as error:
        place = ".".join(str(step) for step in error.absolute_path)[:100] or "its top"
        raise ValueError(f"is not a valid JSON Schema at {place}") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    return schema


def _check_references(value: Any, *, depth: int) -> None:
    # A reference to elsewhere would have the validator fetch it, past every guard.
    if depth < 0:
        raise ValueError("is nested too deeply")
    children: list[Any] = []
    if isinstance(value, dict):
        for key in _REFERENCES:
            if isinstance(value.get(key), str) and not value[key].startswith("#"):
                raise ValueError("may refer only to its own parts")
        children = list(value.values())
    elif isinstance(value, list):
        children = value
    for child in children:
        _check_references(child, depth=depth - 1)
