"""Tool arguments against the tool's JSON Schema, in sentences a model can act on (contract §4.3).

Schemas come from tenant backends too. So nothing is fetched for a `$ref`, regular expressions are left to the
backend (one that backtracks without end would hold the whole process), and a check takes a bounded number of
steps: forty definitions that each name the next one twice are a page of schema and a century of checking.
"""

import json
import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import Draft202012Validator, extend, validator_for
from referencing import Registry

from apps.agent.kernel.plain import clean, compact, plain

logger = logging.getLogger(__name__)

_MOST_PROBLEMS = 5
_MOST_STEPS = 50_000
_KEPT_SCHEMAS = 1_000
_LENGTH = 200
_DATA_KEYWORDS = frozenset({"enum", "const", "default", "examples"})
# Looser inside, these are stricter outside: what is asked not to fit, or to fit once, fits more often.
_TURNED_AROUND = frozenset({"not", "oneOf", "if", "contains", "dependentSchemas"})
_SIZES = frozenset({"maxItems", "minItems", "maxProperties", "minProperties", "maxLength", "minLength"})
_UNEVALUATED = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_NAMED_SCHEMAS = frozenset({"properties", "$defs", "definitions", "dependentSchemas"})

Check = Callable[[dict[str, Any]], str | None]
# Compiled schemas are shared between threads; the steps a check has left belong to the thread that checks.
_steps = threading.local()


class TooManySteps(Exception):
    """The schema makes more work of these arguments than any honest one would."""


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
    given = json.loads(schema)
    kind, usable = validator_for(given, default=Draft202012Validator), _without_patterns(given)
    kind.check_schema(usable)
    return _bounded(kind)(usable, registry=Registry())


@lru_cache(maxsize=16)
def _bounded(kind: type[Validator]) -> type[Validator]:
    """The same kind of validator, each of whose keywords counts as a step."""
    counted = {name: _counted(check) for name, check in kind.VALIDATORS.items()}
    bounded: type[Validator] = extend(kind, counted)  # type: ignore[no-untyped-call]
    return bounded


def _counted(check: Callable[..., Any]) -> Callable[..., Iterator[ValidationError]]:
    def step(*arguments: Any) -> Iterator[ValidationError]:
        _steps.left -= 1
        if _steps.left < 0:
            raise TooManySteps
        yield from check(*arguments) or ()

    return step


def _problems(validator: Validator, arguments: dict[str, Any], *, tool: str) -> str | None:
    _steps.left = _MOST_STEPS
    errors: list[ValidationError] = []
    try:
        errors += validator.iter_errors(arguments)
    except Exception as error:  # noqa: BLE001 - an unresolvable or endless reference shows only now
        # What was found until then is wrong all the same.
        logger.warning("the schema of tool %s could not be followed: %s", clean(tool), type(error).__name__)
    errors.sort(key=lambda error: [str(part) for part in error.path])
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
    # A part that names a dialect of its own would be checked by another validator, which does not count.
    gone = {"pattern", "patternProperties", "$schema"}
    if "patternProperties" in schema:
        gone |= {"additionalProperties", "unevaluatedProperties"}
    kept = {key: _kept(key, value) for key, value in schema.items() if key not in gone}
    gone = {key for key in kept if key in _TURNED_AROUND and _may_differ(schema[key], kept[key])}
    # What a keyword that is gone would have evaluated must not be refused as unevaluated.
    if any(kept.get(key) != value or key in gone for key, value in schema.items()):
        gone |= _UNEVALUATED
    # Sizes first: a list far too long must not use up the steps before anybody has asked for its length.
    order = sorted((key for key in kept if key not in gone), key=lambda key: key not in _SIZES)
    return {key: kept[key] for key in order}


def _may_differ(before: Any, after: Any) -> bool:
    """A reference may lead to where a pattern was."""
    return before != after or '"$ref"' in compact(before) or '"$dynamicRef"' in compact(before)


def _kept(keyword: str, value: Any) -> Any:
    if keyword in _DATA_KEYWORDS:
        return value
    if keyword in _NAMED_SCHEMAS and isinstance(value, dict):
        return {name: _without_patterns(inner) for name, inner in value.items()}
    return _without_patterns(value)
