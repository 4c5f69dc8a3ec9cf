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
# Of these characters people see nothing: blanks, controls, marks of direction, fillers (foundation.text.is_blank).
_UNSEEN = (
    r"\x00-\x20\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680\u17b4\u17b5"
    r"\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U00013438\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Text without NUL in which there is something to be seen.
SEEN = rf"^[^\x00]*[^{_UNSEEN}][^\x00]*$"
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


def raw_body(request: Request) -> bytes:
    """The body as it came; empty where there was none."""
    raw: object = request.data
    return raw if isinstance(raw, bytes) else b""


def read_body(request: Request, shape: type[S]) -> S:
    """The body in its shape; raises :class:`Refused` or :class:`BadInput`."""
    raw = raw_body(request)
    if not raw.strip():
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
