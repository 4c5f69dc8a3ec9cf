"""Tool arguments against the tool's JSON Schema, in sentences a model can act on (contract §4.3).

Schemas come from tenant backends too. So nothing is fetched for a `$ref`, and regular expressions are left
to the backend: one that backtracks without end would hold the whole process.
"""

import json
import logging
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import Draft202012Validator, validator_for
from referencing import Registry

from apps.agent.kernel.plain import clean, compact, plain

logger = logging.getLogger(__name__)

_MOST_PROBLEMS = 5
_KEPT_SCHEMAS = 1_000
_LENGTH = 200
_DATA_KEYWORDS = frozenset({"enum", "const", "default", "examples"})
# Looser inside, these are stricter outside: what is asked not to fit, or to fit once, fits more often.
_TURNED_AROUND = frozenset({"not", "oneOf", "if", "contains", "dependentSchemas"})
_UNEVALUATED = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_NAMED_SCHEMAS = frozenset({"properties", "$defs", "definitions", "dependentSchemas"})

Check = Callable[[dict[str, Any]], str | None]


def compile_check(schema: Any, *, tool: str) -> Check:
    """A function that says what is wrong with some arguments; a broken schema finds nothing wrong."""
    try:
        validator = _compiled(compact(plain(schema)))
    except Exception as error:  # noqa: BLE001 - a schema is foreign data and may break its checker anywhere
        logger.warning("the schema of tool %s is unusable: %s", clean(tool), type(error).__name__)
        return lambda _arguments: None
    return lambda arguments: _problems(validator, arguments, tool=tool)


@lru_cache(maxsize=_KEPT_SCHEMAS)
def _compiled(schema: str) -> Validator:
    """By content, since tools are declared anew in each turn, and checking a schema costs more than a turn."""
    usable = _without_patterns(json.loads(schema))
    kind = validator_for(usable, default=Draft202012Validator)
    kind.check_schema(usable)
    return kind(usable, registry=Registry())


def _problems(validator: Validator, arguments: dict[str, Any], *, tool: str) -> str | None:
    try:
        errors = sorted(
            validator.iter_errors(arguments), key=lambda error: [str(part) for part in error.path]
        )
    except Exception as error:  # noqa: BLE001 - an unresolvable or endless reference shows only now
        logger.warning("the schema of tool %s is unusable: %s", clean(tool), type(error).__name__)
        return None
    return "; ".join(_sentence(error) for error in errors[:_MOST_PROBLEMS]) or None


def _sentence(error: ValidationError) -> str:
    """Says where and what, never the value: it may be long, private or hostile."""
    where = ".".join(str(part) for part in error.absolute_path) or "arguments"
    keyword, wanted = str(error.validator), error.validator_value
    if keyword == "required" and isinstance(error.instance, dict) and isinstance(wanted, Iterable):
        missing = [str(name) for name in wanted if name not in error.instance]
        prefix = "" if where == "arguments" else f"{where}."
        return _short(", ".join(f"{prefix}{name}" for name in missing) + " is required")
    if keyword == "additionalProperties" and isinstance(error.instance, dict):
        known = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
        return _short(
            f"{where} has unknown fields: " + ", ".join(k for k in error.instance if k not in known)
        )
    phrase = {"type": "must be of type", "enum": "must be one of", "const": "must be"}.get(keyword)
    return _short(f"{where} {phrase or f'must fit {keyword}'} {compact(wanted)}")


def _short(text: str) -> str:
    return clean(text)[:_LENGTH]


def _without_patterns(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_patterns(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    # Names that only a pattern allows must not be refused once the pattern is gone.
    gone = {"pattern", "patternProperties"}
    if "patternProperties" in schema:
        gone |= {"additionalProperties", "unevaluatedProperties"}
    kept = {key: _kept(key, value) for key, value in schema.items() if key not in gone}
    gone = {key for key in kept if key in _TURNED_AROUND and _may_differ(schema[key], kept[key])}
    # What a keyword that is gone would have evaluated must not be refused as unevaluated.
    if any(kept.get(key) != value or key in gone for key, value in schema.items()):
        gone |= _UNEVALUATED
    return {key: value for key, value in kept.items() if key not in gone}


def _may_differ(before: Any, after: Any) -> bool:
    """A reference may lead to where a pattern was."""
    return before != after or '"$ref"' in compact(before) or '"$dynamicRef"' in compact(before)


def _kept(keyword: str, value: Any) -> Any:
    if keyword in _DATA_KEYWORDS:
        return value
    if keyword in _NAMED_SCHEMAS and isinstance(value, dict):
        return {name: _without_patterns(inner) for name, inner in value.items()}
    return _without_patterns(value)
