"""/integrations: the community's backends (contract §7, §12.2)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints
from rest_framework.request import Request

from apps.api.operation import TenantView, operation
from apps.api.paging import Page, Paged, page_of
from apps.api.reading import Body
from apps.integrations import registration
from apps.integrations.connect import look_again
from apps.integrations.models import Integration
from apps.integrations.registration import Registered

TAG = "Integrations"
NAME = r"^[a-z0-9][a-z0-9_-]{1,63}$"
PATH = {"name": {"type": "string", "pattern": NAME}}
_LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_NAMED = rf"({_LABEL}\.)*[A-Za-z]([A-Za-z0-9-]{{0,61}}[A-Za-z0-9])?"
_OCTET = r"(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_PORT = r"([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
BASE_URL = (
    rf"^https?://({_NAMED}|{_OCTET}(\.{_OCTET}){{3}})(:{_PORT})?"
    r"(/([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?$"
)

EndpointPath = Annotated[str, StringConstraints(pattern=r"^/[!-~]*$", max_length=512)]
ToolPath = Annotated[
    str, StringConstraints(pattern=r"^/[!-~]*:name([!-/:-@\[-^`{-~][!-~]*)?$", max_length=512)
]


class EndpointPaths(Body):
    """Where the backend answers, if not at the paths of the protocol."""

    manifest: EndpointPath | None = None
    tool_invoke: Annotated[
        ToolPath | None, Field(description="`:name` stands for the tool.", examples=["/tools/:name/run"])
    ] = None
    identity_resolve: EndpointPath | None = None
    identity_roster: EndpointPath | None = None
    links_issue: EndpointPath | None = None
    escalations: EndpointPath | None = None


class Backend(Body):
    """A backend to register."""

    name: Annotated[str, StringConstraints(pattern=NAME), Field(examples=["house"])]
    base_url: Annotated[
        str,
        StringConstraints(pattern=BASE_URL, max_length=2048),
        Field(examples=["https://backend.harbour.example"]),
    ]
    signing_secret: Annotated[
        Annotated[str, StringConstraints(pattern=r"^[!-~][ -~]{6,510}[!-~]$")] | None,
        Field(description="8 to 512 visible ASCII characters; made here when none is given."),
    ] = None
    endpoint_paths: EndpointPaths | None = None


class BackendShown(BaseModel):
    """A backend; its secret is not shown."""

    name: str
    base_url: str
    status: Literal["active", "disabled", "pending"]
    environment: Literal["live", "dev"]
    endpoint_paths: dict[str, str]
    tools: list[str] = Field(description="What the manifest in use declares.")
    manifest_fetched_at: datetime | None
    created_at: datetime


class SecretShown(BaseModel):
    """A backend and its secret, which is shown this once."""

    integration: BackendShown
    signing_secret: str


class RefreshShown(BaseModel):
    """What came of asking for the manifest."""

    integration: BackendShown
    refreshed: bool
    problem: str | None = Field(
        description="Why the manifest could not be taken; the one before stays in use."
    )


class Integrations(TenantView):
    """Backends."""

    @operation(
        "The community's backends",
        name="integrations_list",
        tag=TAG,
        query=Paged,
        answers={200: Page[BackendShown]},
    )
    def get(self, request: Request, query: Paged) -> Page[BackendShown]:
        """Those of the key's environment, the disabled ones too."""
        return page_of(registration.integrations(), query, by="created_at", show=_shown)

    @operation(
        "Register a backend",
        name="integrations_register",
        tag=TAG,
        body=Backend,
        answers={201: SecretShown},
        refuses=[409],
    )
    def post(self, request: Request, body: Backend) -> SecretShown:
        """It is pending until its first good manifest. The name of a disabled one may be taken again."""
        paths = body.endpoint_paths.model_dump(exclude_none=True) if body.endpoint_paths else None
        return _with_secret(
            registration.register(
                name=body.name,
                base_url=body.base_url,
                signing_secret=body.signing_secret,
                endpoint_paths=paths,
            )
        )


class OneIntegration(TenantView):
    """One backend."""

    @operation(
        "Disable a backend",
        name="integrations_disable",
        tag=TAG,
        answers={204: None},
        refuses=[404],
        path=PATH,
    )
    def delete(self, request: Request, name: str) -> None:
        """Its tools are gone with the next turn; its record stays."""
        registration.disable(name)


class Refresh(TenantView):
    """Looking again."""

    @operation(
        "Ask a backend for its manifest now",
        name="integrations_refresh",
        tag=TAG,
        answers={200: RefreshShown},
        refuses=[404, 409],
        path=PATH,
    )
    def post(self, request: Request, name: str) -> RefreshShown:
        """A backend that does not answer well is told in `problem`. One that is disabled is not asked."""
        looked = look_again(name)
        return RefreshShown(
            integration=_shown(looked.row), refreshed=not looked.problem, problem=looked.problem or None
        )


class Rotation(TenantView):
    """A new secret."""

    @operation(
        "Give a backend a new secret",
        name="integrations_rotate_secret",
        tag=TAG,
        answers={200: SecretShown},
        refuses=[404],
        path=PATH,
    )
    def post(self, request: Request, name: str) -> SecretShown:
        """Every call from now on is signed with it; the old one is gone."""
        return _with_secret(registration.rotate_secret(name))


def _with_secret(registered: Registered) -> SecretShown:
    return SecretShown(integration=_shown(registered.row), signing_secret=registered.secret)


def _shown(row: Integration) -> BackendShown:
    paths: Any = row.endpoint_paths
    return BackendShown(
        name=row.name,
        base_url=row.base_url,
        status=row.status,
        environment=row.environment,
        endpoint_paths={key: str(path) for key, path in paths.items()} if isinstance(paths, dict) else {},
        tools=registration.tool_names(row),
        manifest_fetched_at=row.manifest_fetched_at,
        created_at=row.created_at,
    )
