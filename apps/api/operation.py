"""One operation: what it takes and what it answers, said once for the code and for the document (contract §12.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ClassVar, cast

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from pydantic import BaseModel
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.api.authentication import BearerKey
from apps.api.errors import ErrorBody, answer_failure
from apps.api.reading import RawJson, read_body, read_query
from apps.channels.json_http import as_json
from apps.tenancy.api_keys import KeyHolder
from apps.tenancy.context import tenant_context

_REASONS = {
    400: "The request does not fit its shape.",
    401: "No key, or none that is known.",
    403: "The key was revoked, its community is inactive, or this is not open to it.",
    404: "No such thing in this community.",
    409: "The state of the thing does not allow this now.",
    413: "The body is too large.",
    415: "The body is not application/json.",
    429: "Too many requests at once.",
    500: "A fault on our side.",
    503: "Something this depends on does not answer; try again later.",
}
_ALWAYS = (401, 403, 500, 503)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An answer with a status of its own, for operations that have several."""

    status: int
    body: BaseModel | Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def data(self) -> Any:
        """The body as plain JSON values."""
        return self.body.model_dump(mode="json") if isinstance(self.body, BaseModel) else self.body


class AlwaysJson(BaseContentNegotiation):
    """Answers JSON whatever a caller says it accepts; a failure in HTML helps no program."""

    def select_parser(self, request: Request, parsers: Iterable[Any]) -> Any:
        """The parser for the body's declared type, if there is one."""
        kind = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == kind), None)

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Always the first."""
        first = next(iter(renderers))
        return first, str(first.media_type)


class StrictJson(JSONRenderer):
    """JSON without NaN, escaped to ASCII."""

    charset = None

    def render(self, data: Any, accepted_media_type: Any = None, renderer_context: Any = None) -> bytes:
        """The body's bytes; nothing for an answer without one."""
        return b"" if data is None else as_json(data)


class TenantView(APIView):
    """A view that runs inside the community of its key. ``body_limit``: bytes it reads at most."""

    authentication_classes = (BearerKey,)
    permission_classes = ()
    parser_classes = (RawJson,)
    renderer_classes = (StrictJson,)
    content_negotiation_class = AlwaysJson
    body_limit: ClassVar[int] = 512 * 1024

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Handles one request; the community is entered once the key is known and left with the answer."""
        with ExitStack() as self.entered:
            response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Enters the key's community before the handler runs."""
        super().initial(request, *args, **kwargs)
        self.entered.enter_context(tenant_context(self.holder.tenant))

    @property
    def holder(self) -> KeyHolder:
        """Who calls."""
        return cast(KeyHolder, self.request.auth)

    def get_exception_handler(self) -> Callable[..., Response]:
        """One shape for all failures."""
        return answer_failure


def operation(
    summary: str,
    *,
    name: str,
    tag: str,
    answers: Mapping[int, type[BaseModel] | None],
    body: type[BaseModel] | None = None,
    query: type[BaseModel] | None = None,
    refuses: Iterable[int] = (),
    path: Mapping[str, dict[str, Any]] | None = None,
    headers: Iterable[OpenApiParameter] = (),
) -> Callable[[Callable[..., Any]], Callable[..., Response]]:
    """Makes a handler an operation: it gets ``body=`` and ``query=`` in their shapes and returns a shape.

    ``name`` is the operation id, ``answers`` the successes by status (the first is the usual one), ``refuses``
    the failures beside those every operation has, ``path`` schemas of the path's variables.
    """
    usual = next(iter(answers))

    def decorate(handler: Callable[..., Any]) -> Callable[..., Response]:
        @wraps(handler)
        def handling(view: TenantView, request: Request, **known: Any) -> Response:
            if query is not None:
                known["query"] = read_query(request, query)
            if body is not None:
                known["body"] = read_body(request, body)
            return _response(handler(view, request, **known), usual=usual)

        described: Callable[..., Response] = extend_schema(
            operation_id=name,
            summary=summary,
            description=handler.__doc__,
            tags=[tag],
            request=body,
            parameters=[*_query_parameters(query), *_path_parameters(path or {}), *headers],
            responses=_responses(answers, {*refuses, *(_shape_failures(body, query))}),
        )(handling)
        return described

    return decorate


def _response(answer: Any, *, usual: int) -> Response:
    if isinstance(answer, Answered):
        return Response(answer.data(), status=answer.status, headers=dict(answer.headers))
    return Response(None if answer is None else answer.model_dump(mode="json"), status=usual)


def _shape_failures(body: type[BaseModel] | None, query: type[BaseModel] | None) -> set[int]:
    return ({400, 413, 415} if body else set()) | ({400} if query else set())


def _responses(answers: Mapping[int, type[BaseModel] | None], refuses: set[int]) -> dict[int, Any]:
    good = {status: OpenApiResponse(shape, description=_good(status)) for status, shape in answers.items()}
    bad = {
        status: OpenApiResponse(ErrorBody, description=_REASONS[status])
        for status in sorted({*refuses, *_ALWAYS})
    }
    return {**good, **bad}


def _good(status: int) -> str:
    return {201: "Created.", 202: "Accepted; work goes on.", 204: "Done."}.get(status, "The answer.")


def _query_parameters(query: type[BaseModel] | None) -> list[OpenApiParameter]:
    if query is None:
        return []
    schema = query.model_json_schema()
    required = set(schema.get("required", ()))
    together = {name for option in schema.get("oneOf", ()) for name in option["required"]}
    ordinary = [
        OpenApiParameter(
            name=name,
            type=_without_null(shape),
            location=OpenApiParameter.QUERY,
            required=name in required,
            description=shape.get("description", ""),
        )
        for name, shape in schema.get("properties", {}).items()
        if name not in together
    ]
    return [*_exclusive(schema, together), *ordinary]


def _exclusive(schema: dict[str, Any], names: set[str]) -> list[OpenApiParameter]:
    """Parameters of which exactly one is sent: said as one object whose properties are they themselves."""
    if not names:
        return []
    properties = {name: shape for name, shape in schema["properties"].items() if name in names}
    shape = {
        "type": "object",
        "properties": properties,
        "oneOf": schema["oneOf"],
        "additionalProperties": False,
    }
    said = f"Exactly one of {', '.join(f'`{name}`' for name in properties)}."
    return [
        OpenApiParameter(
            name="_or_".join(properties),
            type=shape,
            location=OpenApiParameter.QUERY,
            required=True,
            style="form",
            explode=True,
            description=said,
        )
    ]


def _without_null(shape: dict[str, Any]) -> dict[str, Any]:
    """A parameter is there or not; it is never null."""
    rest = {key: value for key, value in shape.items() if key not in {"anyOf", "title", "description"}}
    options = [option for option in shape.get("anyOf", ()) if option.get("type") != "null"]
    if rest.get("default", 0) is None:
        del rest["default"]
    return {**rest, **(options[0] if len(options) == 1 else {"anyOf": options} if options else {})}


def _path_parameters(path: Mapping[str, dict[str, Any]]) -> list[OpenApiParameter]:
    return [
        OpenApiParameter(name=name, type=shape, location=OpenApiParameter.PATH, required=True)
        for name, shape in path.items()
    ]
