"""/interventions: matters that wait for the community's team (contract §2.4, §12.2)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints
from rest_framework.request import Request

from apps.agent.interventions import programs
from apps.agent.interventions.notifying import SINKS_NOTED
from apps.agent.interventions.opening import DETAILS_LIMIT
from apps.agent.models import InterventionCategory
from apps.api.operation import TenantView, operation
from apps.api.paging import Page, Paged, page_of
from apps.api.persons import PersonNamed
from apps.api.reading import NO_NUL, Body, Name

TAG = "Interventions"
Category = Literal["request", "escalation", "missing_tool", "system_failure", "mistake_report"]
Status = Literal["open", "in_progress", "resolved", "dismissed", "cancelled"]
Channel = Literal["slack", "email", "api", "web"]


class MattersQuery(Paged):
    """Which matters."""

    category: Annotated[Category | None, Field(description="Only these.")] = None
    status: Annotated[Status | None, Field(description="Only those that got this far.")] = None


class Matter(Body):
    """What somebody has to look at."""

    category: Category
    title: Annotated[Name, Field(examples=["A key is lost"])]
    details: Annotated[str, StringConstraints(pattern=NO_NUL, max_length=DETAILS_LIMIT)] = ""
    channel: Annotated[Channel, Field(description="Where it came up.")] = "api"
    principal: PersonNamed | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)


class MatterShown(BaseModel):
    """A matter and how far it got."""

    id: UUID
    category: Category
    status: Status
    channel: Channel
    title: str
    details: str
    principal_ref: str | None = Field(description="Whom it is about, if that is somebody known.")
    metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime


class Interventions(TenantView):
    """Matters."""

    @operation(
        "What waits for the team",
        name="interventions_list",
        tag=TAG,
        query=MattersQuery,
        answers={200: Page[MatterShown]},
    )
    def get(self, request: Request, query: MattersQuery) -> Page[MatterShown]:
        """Matters of every status, the newest first."""
        rows = programs.matters(category=query.category, status=query.status)
        return page_of(rows, query, by="created_at", show=_shown)

    @operation(
        "Ask the team for something",
        name="interventions_create",
        tag=TAG,
        body=Matter,
        answers={201: MatterShown},
        refuses=[404],
    )
    def post(self, request: Request, body: Matter) -> MatterShown:
        """Opens a matter. Whoever wants to know of matters in this community is told."""
        return _shown(
            programs.open_for(
                body.principal.named() if body.principal else None,
                category=InterventionCategory(body.category),
                channel=body.channel,
                title=body.title,
                details=body.details,
                metadata=body.metadata,
            )
        )


def _shown(row: Any) -> MatterShown:
    return MatterShown(
        id=row.pk,
        category=row.category,
        status=row.status,
        channel=row.channel,
        title=row.title,
        details=row.details,
        principal_ref=row.person_ref,
        metadata={name: value for name, value in row.metadata.items() if name != SINKS_NOTED},
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
