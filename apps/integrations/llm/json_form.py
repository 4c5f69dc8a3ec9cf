"""The form an answer must have, from a pydantic model or a JSON Schema (contract §3.1)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError as SchemaError
from pydantic import BaseModel, ValidationError
from referencing import Registry

Json = dict[str, Any]
T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

MOST_PROBLEMS: Final = 10
_PROBLEM_LENGTH: Final = 300
_UNFIT_FOR_NAME: Final = re.compile(r"[^A-Za-z0-9_-]+")


class Misfit(ValueError):
    """The value does not have the form; the problems are sentences for the model that wrote it."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(f"{len(problems)} problems")
        self.problems = [problem[:_PROBLEM_LENGTH] for problem in problems[:MOST_PROBLEMS]]


@dataclass(frozen=True, kw_only=True)
class Form(Generic[T]):
    """``check`` returns the value in its final type, or raises :class:`Misfit`."""

    name: str
    schema: Json = field(repr=False)
    check: Callable[[Any], T] = field(repr=False)

    @property
    def response_format(self) -> Json:
        """For providers that hold the model to the schema themselves."""
        described = {"name": self.name, "strict": _is_strict(self.schema), "schema": self.schema}
        return {"type": "json_schema", "json_schema": described}


def form_of_model(model: type[M]) -> Form[M]:
    def check(value: Any) -> M:
        try:
            return model.model_validate(value)
        except ValidationError as error:
            found = error.errors(include_url=False, include_context=False, include_input=False)
            raise Misfit([_sentence(problem["loc"], problem["msg"]) for problem in found]) from None

    return Form(name=_name(model.__name__), schema=model.model_json_schema(), check=check)


def form_of_schema(schema: Json) -> Form[Any]:
    # Nothing is ever fetched to resolve a reference.
    validator = Draft202012Validator(schema, registry=Registry())

    def check(value: Any) -> Any:
        errors: list[SchemaError] = sorted(validator.iter_errors(value), key=lambda error: error.json_path)
        if errors:
            raise Misfit([_sentence(error.absolute_path, error.message) for error in errors])
        return value

    return Form(name=_name(str(schema.get("title") or "")), schema=schema, check=check)


def _sentence(path: Any, message: str) -> str:
    return f"{'.'.join(str(part) for part in path) or 'the value'}: {message}"


def _name(given: str) -> str:
    return _UNFIT_FOR_NAME.sub("_", given).strip("_")[:64] or "answer"


def _is_strict(schema: Any) -> bool:
    """Strict mode wants each object closed and each of its fields required, at every depth."""
    if isinstance(schema, list):
        return all(_is_strict(item) for item in schema)
    if not isinstance(schema, dict):
        return True
    fields = schema.get("properties")
    if schema.get("type") == "object" or isinstance(fields, dict):
        named = set(fields) if isinstance(fields, dict) else set()
        if schema.get("additionalProperties") is not False or set(schema.get("required") or ()) != named:
            return False
    return all(_is_strict(item) for item in schema.values())
