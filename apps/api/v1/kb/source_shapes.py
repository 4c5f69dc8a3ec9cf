"""A source as it is sent and shown; its secrets only ever come in (contract §12.2)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, create_model

from apps.api.reading import Body
from apps.api.v1.kb.words import (
    FreeJson,
    HeaderName,
    HeaderValue,
    Instructions,
    JsonPath,
    Secret,
    SourceKey,
    SourceName,
    Tiers,
    Token,
    Username,
    WebAddress,
)
from apps.knowledge.models import KnowledgeSource, KnowledgeSyncRun
from apps.knowledge.source_views import run_view, source_view
from apps.knowledge.sync.mapping import PATHS

Kind = Literal["web_page", "api_pull", "webhook", "api_push"]
Status = Literal["active", "paused", "error"]
AuthType = Literal["none", "bearer", "basic", "api_key"]
Method = Literal["GET", "POST"]
ResponseMode = Literal["auto", "html", "text", "json"]
Minutes = Annotated[
    int,
    Field(ge=1, le=43_200, description="Null is no schedule; less than may be is raised to what may be."),
]
Headers = Annotated[
    dict[HeaderName, HeaderValue],
    Field(
        max_length=50,
        json_schema_extra={"additionalProperties": False},
        description="Sent with each fetch. Credentials do not belong here but into `secrets`.",
    ),
]
SECRETS_SAID: Final = "Never shown again."
_NULL: Final = {"type": "null"}
_TEXT: Final = {"type": "string"}
_GIVEN: Final = {"type": "object", "minProperties": 1}


class SourceAuth(Body):
    """What goes with the secrets and is none itself."""

    username: Annotated[Username | None, Field(description="For `basic`.")] = None
    header_name: Annotated[HeaderName | None, Field(description="For `api_key`.", examples=["x-api-key"])] = (
        None
    )


class SourceSecrets(Body):
    """SourceSecrets of a source; null takes one away, and what is not named stays."""

    token: Annotated[Token | None, Field(description="For `bearer` and `api_key`.")] = None
    password: Annotated[Secret | None, Field(description="For `basic`.")] = None
    webhook_signing_secret: Annotated[
        Secret | None, Field(description="Signs what Root asks a source of kind `webhook`.")
    ] = None


DocumentPaths = create_model(
    "DocumentPaths",
    __base__=Body,
    __doc__="Where in a JSON answer the documents stand, and in each of them its fields.",
    __module__=__name__,
    **dict.fromkeys(PATHS, (JsonPath | None, None)),  # type: ignore[call-overload]
)


class SourceFields(Body):
    """What a source may be told at any time."""

    url: WebAddress | None = None
    http_method: Method = "GET"
    request_headers: Headers = Field(default_factory=dict)
    request_body: Annotated[FreeJson, Field(description="Sent with POST, as JSON.")] = None
    auth_type: AuthType = "none"
    auth_config: SourceAuth = SourceAuth()
    secrets: Annotated[SourceSecrets, Field(description=SECRETS_SAID)] = SourceSecrets()
    response_mode: ResponseMode = "auto"
    mapping: DocumentPaths = DocumentPaths()
    schedule_interval_minutes: Minutes | None = None
    replace_missing: Annotated[bool, Field(description="Delete its pages that a sync no longer brings.")] = (
        False
    )
    ai_cleanup: Annotated[bool, Field(description="Have a model tidy each document, facts unchanged.")] = (
        False
    )
    ai_cleanup_instructions: Instructions | None = None
    audience_tiers: Tiers | None = None

    def given(self) -> dict[str, Any]:
        """What was named."""
        return self.model_dump(exclude_unset=True)


def _without_defaults(schema: dict[str, Any]) -> None:
    for shape in schema["properties"].values():
        shape.pop("default", None)


class SourceChanged(SourceFields):
    """What is to be different; what is not named stays. Key and kind of a source never change."""

    model_config = ConfigDict(json_schema_extra=_without_defaults)

    name: SourceName = ""
    status: Annotated[
        Literal["active", "paused"],
        Field(description="`paused`: nothing syncs it. `active`: again, with its failures forgotten."),
    ] = "active"


def _kind(kind: str, *needs: str, **properties: Any) -> dict[str, Any]:
    known = {"source_kind": {"const": kind}, **properties}
    return {"properties": known, "required": ["source_kind", *needs]}


def _auth(kind: str, *, secret: str, config: str | None = None) -> dict[str, Any]:
    def holding(name: str) -> dict[str, Any]:
        return {"type": "object", "properties": {name: _TEXT}, "required": [name]}

    parts = {"auth_type": {"const": kind}, "secrets": holding(secret)}
    if config:
        parts["auth_config"] = holding(config)
    return {"properties": parts, "required": [*parts]}


def _together(schema: dict[str, Any]) -> None:
    """What one field asks of the others, so that the document says it as the service checks it."""
    schema["examples"] = [
        {
            "source_key": "handbook",
            "name": "The handbook",
            "source_kind": "web_page",
            "url": "https://club.example/handbook",
        }
    ]
    get = {"http_method": {"const": "GET"}, "request_body": _NULL}
    address = {"url": _TEXT}
    signed = {
        "secrets": {
            "type": "object",
            "properties": {"webhook_signing_secret": _TEXT},
            "required": ["webhook_signing_secret"],
        }
    }
    kinds = [
        _kind("api_push", url=_NULL, schedule_interval_minutes=_NULL, **get),
        _kind("web_page", "url", **address, **get),
        _kind("webhook", "url", "secrets", **address, **get, **signed),
        _kind("api_pull", "url", **address, **get),
        _kind("api_pull", "url", "http_method", **address, http_method={"const": "POST"}),
    ]
    auths = [
        {"properties": {"auth_type": {"const": "none"}}},
        _auth("bearer", secret="token"),  # noqa: S106 - a name, no secret
        _auth("api_key", secret="token"),  # noqa: S106
        _auth("basic", secret="password", config="username"),  # noqa: S106
    ]
    schema["allOf"] = [{"anyOf": kinds}, {"anyOf": auths}]


class SourceSent(SourceFields):
    """A new source. `api_push` waits for what is sent to it; the others have a `url` that Root calls."""

    model_config = ConfigDict(json_schema_extra=_together)

    source_key: SourceKey
    name: SourceName
    source_kind: Kind


class SourceShown(BaseModel):
    """A source; of its secrets only which there are."""

    id: UUID
    source_key: str
    name: str
    source_kind: Kind
    status: Status
    url: str | None
    http_method: Method
    request_headers: dict[str, str]
    request_body: Any
    auth_type: AuthType
    auth_config: dict[str, str]
    secrets_set: Annotated[list[str], Field(description="The names of the secrets that are set.")]
    response_mode: ResponseMode
    mapping: dict[str, str]
    schedule_interval_minutes: int | None
    replace_missing: bool
    ai_cleanup: bool
    ai_cleanup_instructions: str | None
    audience_tiers: list[str] | None
    consecutive_failures: int
    last_error: str
    next_sync_at: datetime | None
    last_synced_at: datetime | None
    created_at: datetime
    updated_at: datetime


class RunShown(BaseModel):
    """One sync of one source, and what came of it."""

    id: UUID
    source_id: UUID
    trigger_type: Literal["manual", "schedule", "api", "webhook"]
    status: Literal["queued", "running", "succeeded", "triggered", "failed"]
    documents_received: int
    pages_created: int
    pages_updated: int
    pages_unchanged: int
    pages_deleted: int
    ai_cleaned: int
    http_status: int | None
    error: str | None
    metadata: Annotated[dict[str, Any], Field(description="Notes of the run, such as documents that failed.")]
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


def source_shown(source: KnowledgeSource) -> SourceShown:
    """A row as it is answered."""
    return SourceShown.model_validate(source_view(source))


def run_shown(run: KnowledgeSyncRun) -> RunShown:
    """A row as it is answered."""
    return RunShown.model_validate(run_view(run))
