"""GET /tools and POST /tools/:name/execute: what tools there are, and one of them run for a person (contract §12.2)."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Any, Literal

from pydantic import BaseModel, Field
from rest_framework.request import Request

from apps.agent.tools.catalogue import CatalogueEntry, catalogue
from apps.agent.tools.execution import ToolRun, execute_tool
from apps.api.answers import Image, Usage
from apps.api.idempotent import PARAMETER, once
from apps.api.metering import REST_TOOL, metered
from apps.api.operation import Answered, TenantView, operation
from apps.api.people import PrincipalChosen
from apps.api.reading import Body, raw_body
from apps.channels.turn_answers import picture, usage_body
from apps.tenancy.idempotency import Claim

_NAME = {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[A-Za-z0-9_-]{1,64}$"}


class ToolShown(BaseModel):
    """A tool, and who may use it where."""

    name: str = Field(examples=["search_knowledge_base"])
    description: str
    label: str = Field(description="What people read while it runs.")
    origin: Literal["core", "integration", "community"]
    provider: str = Field(description="The integration it comes from; empty for the core.")
    parameters: dict[str, Any] = Field(description="The JSON Schema of its arguments.")
    channels: list[Literal["slack", "email", "api", "web"]]
    tiers: list[str] | None = Field(
        description="The tiers that get it; null: members and every tier that is not withheld from."
    )
    withheld_from: list[str] = Field(description="Tiers whose own list of core tools leaves it out.")
    reserved_tiers: list[str] = Field(description="Of unresolved, public and public_email those that get it.")
    admin_only: bool
    read_only: bool
    mutates: bool
    available: bool = Field(description="False where this installation lacks what it works with.")


class ToolsShown(BaseModel):
    """The whole catalogue."""

    tools: list[ToolShown]


class ToolAsked(Body):
    """For whom, and with which arguments."""

    principal: PrincipalChosen
    args: dict[str, Any] = Field(default_factory=dict, examples=[{"query": "guests"}])


class ToolResult(BaseModel):
    """What the tool says. A tool that fails is an answer too: then ``success`` is false and ``error`` says why."""

    model_config = {"extra": "allow"}
    success: bool
    data: Any = None
    error: str | None = None
    outcome_unknown: bool = Field(
        default=False,
        description="True for an action that may or may not have taken effect: do not repeat it.",
    )


class ToolRan(BaseModel):
    """A tool's result, the pictures beside it, and what the run cost."""

    result: ToolResult
    images: list[Image]
    usage: Usage
    trace_id: str
    duration_ms: int


class Tools(TenantView):
    """The catalogue."""

    @operation("Every tool there is", name="tools_list", tag="Tools", answers={200: ToolsShown})
    def get(self, request: Request) -> ToolsShown:
        """The platform's own tools and those of the community's backends, with their gates and input schemas."""
        return ToolsShown(tools=[shown(entry) for entry in catalogue()])


class ToolExecution(TenantView):
    """One tool, run."""

    @operation(
        "Run a tool for a person",
        name="tools_execute",
        tag="Tools",
        body=ToolAsked,
        answers={200: ToolRan},
        refuses=(400, 404, 409),
        path={"name": _NAME},
        headers=[PARAMETER],
    )
    def post(self, request: Request, name: str, body: ToolAsked) -> Answered:
        """Runs a tool that the person is offered over the API, where nobody is an administrator; others are 404."""
        return once(
            request._request,
            operation=f"tools.execute:{name}",
            content=raw_body(request),
            work=lambda held: Answered(status=200, body=ran(self._run(name, body, held))),
        )

    def _run(self, name: str, body: ToolAsked, held: Claim | None) -> ToolRun:
        run = partial(
            execute_tool,
            name,
            body.args,
            caller=body.principal.caller(),
            invocation_id=held.id if held else None,
        )
        return metered(run, surface=REST_TOOL, key=self.holder.key)


def shown(entry: CatalogueEntry) -> ToolShown:
    """An entry of the catalogue on the wire."""
    return ToolShown.model_validate({**asdict(entry), "mutates": not entry.read_only})


def ran(run: ToolRun) -> ToolRan:
    """A run on the wire."""
    return ToolRan(
        result=ToolResult.model_validate(run.result),
        images=[Image(**picture(image)) for image in run.images],
        usage=Usage(**usage_body(run.usage)),
        trace_id=run.trace_id,
        duration_ms=run.duration_ms,
    )
