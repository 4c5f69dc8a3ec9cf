"""Arguments for a tool out of its schema: some that fit, and some that do not (contract §7.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import validators
from jsonschema.exceptions import ValidationError
from jsonschema.validators import Draft202012Validator
from referencing.exceptions import Unresolvable

_DEEPEST = 8
_TEXT = "check"
UNKNOWN = "rootint_check_no_such_parameter"


def fitting(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The smallest arguments a schema allows, as far as they can be guessed; None if the guess does not fit."""
    optional = [{}, *({name: each} for name, each in _properties(schema).items())]
    for extra in optional:
        guess = _value(schema, depth=_DEEPEST)
        if not isinstance(guess, dict):
            return None
        guess.update({name: _value(each, depth=_DEEPEST) for name, each in extra.items()})
        if fits(schema, guess):
            return guess
    return None


def unfitting(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Arguments the schema refuses; None if it refuses nothing we can think of."""
    fit = fitting(schema) or {}
    return next((wrong for wrong in _spoilt(schema, fit) if not fits(schema, wrong)), None)


def fits(schema: Mapping[str, Any], value: Any) -> bool:
    """Does a value satisfy a schema?"""
    validator = validators.validator_for(schema, default=Draft202012Validator)
    try:
        validator(schema).validate(value)
    except (ValidationError, Unresolvable, RecursionError):
        return False
    return True


def _spoilt(schema: Mapping[str, Any], fit: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name in schema.get("required") or ():
        yield {key: value for key, value in fit.items() if key != name}
    for name in _properties(schema):
        yield {**fit, name: {"not": ["what", "is", "expected"]}}
        yield {**fit, name: 7}
    yield {**fit, UNKNOWN: True}


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}


def _value(schema: Any, *, depth: int) -> Any:
    if not isinstance(schema, dict) or depth < 0:
        return _TEXT
    for given in ("const", "default"):
        if given in schema:
            return schema[given]
    for listed in ("examples", "enum"):
        if isinstance(schema.get(listed), list) and schema[listed]:
            return schema[listed][0]
    for choice in ("anyOf", "oneOf", "allOf"):
        if isinstance(schema.get(choice), list) and schema[choice] and "type" not in schema:
            return _value(schema[choice][0], depth=depth - 1)
    return _of_type(schema, depth=depth)


def _of_type(schema: dict[str, Any], *, depth: int) -> Any:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "object":
        known = _properties(schema)
        return {name: _value(known.get(name), depth=depth - 1) for name in schema.get("required") or ()}
    if kind == "array":
        return [_value(schema.get("items"), depth=depth - 1)] * int(schema.get("minItems", 0))
    if kind in ("integer", "number"):
        least, most = schema.get("minimum"), schema.get("maximum")
        return least if least is not None else most if most is not None else 1
    return {"boolean": False, "null": None}.get(str(kind), _text(schema))


def _text(schema: dict[str, Any]) -> str:
    least, most = int(schema.get("minLength", 0)), int(schema.get("maxLength", 1000))
    return (_TEXT * (least // len(_TEXT) + 1))[: max(least, min(most, len(_TEXT)))]
