"""Requests as typed shapes: bounded, strict JSON in; a sentence and the fields at fault when it does not fit."""

from __future__ import annotations

from typing import IO, Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from apps.api.errors import Refused
from apps.channels.json_http import BODY_LIMIT, TooLarge
from apps.foundation.errors import BadInput

S = TypeVar("S", bound=BaseModel)
# Postgres stores no NUL; saying so in the schema lets callers know before they send one.
NO_NUL = r"^[^\x00]*$"
Text = Annotated[str, StringConstraints(pattern=NO_NUL, max_length=20_000)]
Line = Annotated[str, StringConstraints(pattern=NO_NUL, max_length=500)]
Name = Annotated[str, StringConstraints(pattern=NO_NUL, min_length=1, max_length=200)]

SearchWords = Annotated[str, StringConstraints(pattern=NO_NUL, min_length=1, max_length=200)]


class Body(BaseModel):
    """A request's body. Fields it does not know are refused: a misspelt one must not be ignored."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Query(BaseModel):
    """The parameters behind the question mark, refused like a body's when unknown."""

    model_config = ConfigDict(extra="forbid")


class RawJson(BaseParser):
    """Hands on the bytes: they are read once, by the shape that checks them."""

    media_type = "application/json"

    def parse(self, stream: IO[bytes], media_type: Any = None, parser_context: Any = None) -> Any:
        """The body, at most as long as the operation allows; raises :class:`TooLarge`."""
        view = (parser_context or {}).get("view")
        limit: int = getattr(view, "body_limit", BODY_LIMIT)
        raw = stream.read(limit + 1)
        if len(raw) > limit:
            raise TooLarge(f"The body is larger than {limit // 1024} KB.")
        return raw


def read_body(request: Request, shape: type[S]) -> S:
    """The body in its shape; raises :class:`Refused` or :class:`BadInput`."""
    raw: object = request.data
    if not isinstance(raw, bytes) or not raw.strip():
        raise BadInput("Send a JSON object as the body.")
    try:
        return shape.model_validate_json(raw)
    except ValidationError as error:
        raise Refused(error) from None


def read_query(request: Request, shape: type[S]) -> S:
    """The query's parameters in their shape; raises :class:`Refused` or :class:`BadInput`."""
    for name, values in request.query_params.lists():
        if len(values) > 1:
            raise BadInput(f"{name[:40]}: say it once.")
    try:
        return shape.model_validate(request.query_params.dict())
    except ValidationError as error:
        raise Refused(error) from None
