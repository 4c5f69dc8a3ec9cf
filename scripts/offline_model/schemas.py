"""The smallest value a JSON Schema allows, leaning towards "no": what a judge without a mind should say."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

# Best first: what commits to nothing, when one of several words must be chosen.
_MODEST = (
    "no",
    "none",
    "false",
    "off",
    "ignore",
    "skip",
    "reject",
    "rejected",
    "unknown",
    "unclear",
    "other",
    "low",
)
_DEEPEST = 24
_LONGEST = 1_000


def smallest(schema: Any, *, root: Json | None = None, depth: int = 0) -> Any:
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return None
    root = schema if root is None else root
    if "const" in schema:
        return schema["const"]
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return _choice(schema["enum"])
    if (narrower := _narrower(schema, root)) is not None:
        return smallest(narrower, root=root, depth=depth + 1)
    return _of_type(schema, root=root, depth=depth)


def _narrower(schema: Json, root: Json) -> Any:
    """The schema this one stands for: a reference, one of several, all of several together."""
    if isinstance(reference := schema.get("$ref"), str):
        return _resolved(reference, root)
    for union in ("anyOf", "oneOf"):
        if isinstance(schema.get(union), list) and schema[union]:
            return _simplest(schema[union])
    if isinstance(schema.get("allOf"), list) and schema["allOf"]:
        return _merged(schema, root)
    return None


def _of_type(schema: Json, *, root: Json, depth: int) -> Any:
    match _type(schema):
        case "object":
            return _object(schema, root=root, depth=depth)
        case "array":
            count = _count(schema.get("minItems"))
            return [smallest(schema.get("items"), root=root, depth=depth + 1) for _ in range(count)]
        case "string":
            return "-" * _count(schema.get("minLength"))
        case "boolean":
            return False
        case "integer" | "number" as kind:
            return _number(schema, whole=kind == "integer")
        case _:
            return None


def _object(schema: Json, *, root: Json, depth: int) -> Json:
    properties = schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    required = schema.get("required")
    names = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    return {name: smallest(properties.get(name), root=root, depth=depth + 1) for name in names}


def _type(schema: Json) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        return "null" if "null" in kind else next((item for item in kind if isinstance(item, str)), "null")
    if isinstance(kind, str):
        return kind
    return "object" if "properties" in schema or "required" in schema else "null"


def _choice(values: list[Any]) -> Any:
    if None in values:
        return None
    by_name = {value.lower(): value for value in values if isinstance(value, str)}
    return next((by_name[word] for word in _MODEST if word in by_name), values[0])


def _simplest(options: list[Any]) -> Any:
    nothing = (option for option in options if isinstance(option, dict) and option.get("type") == "null")
    return next(nothing, options[0])


def _merged(schema: Json, root: Json) -> Json:
    merged: Json = {key: value for key, value in schema.items() if key != "allOf"}
    for option in schema["allOf"]:
        part = _resolved(option["$ref"], root) if isinstance(option, dict) and "$ref" in option else option
        for key, value in part.items() if isinstance(part, dict) else ():
            known = merged.get(key)
            if isinstance(known, dict) and isinstance(value, dict):
                merged[key] = {**known, **value}
            elif isinstance(known, list) and isinstance(value, list):
                merged[key] = [*known, *value]
            else:
                merged[key] = value
    return merged


def _resolved(reference: Any, root: Json) -> Any:
    target: Any = root
    for step in str(reference).lstrip("#/").split("/"):
        target = target.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(target, dict) else None
    return target


def _number(schema: Json, *, whole: bool) -> int | float:
    """Zero, or the bound nearest to it."""
    value: int | float = 0
    for name, step in (("minimum", 0), ("exclusiveMinimum", 1)):
        bound = schema.get(name)
        if isinstance(bound, int | float) and not isinstance(bound, bool):
            value = max(value, bound + step)
    highest = schema.get("maximum")
    if isinstance(highest, int | float) and not isinstance(highest, bool):
        value = min(value, highest)
    return int(value) if whole else value


def _count(value: Any) -> int:
    return min(max(value, 0), _LONGEST) if isinstance(value, int) and not isinstance(value, bool) else 0
