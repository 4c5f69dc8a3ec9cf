"""Calling a tool the way Root does, and reading the answer more closely than Root does (contract §7.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from apps.foundation.wire_json import BadJson, read_json
from apps.integrations.conformance.calling import Heard, signed
from apps.integrations.conformance.declared import ADMIN
from apps.integrations.models import Integration
from apps.integrations.rootint.endpoints import ENDPOINTS
from apps.integrations.rootint.images import read_images
from apps.integrations.rootint.invocation import Invocation, InvocationPrincipal, invocation_body
from apps.integrations.rootint.manifest import ManifestTool
from apps.integrations.rootint.people import BackendPerson
from apps.integrations.rootint.results import BadResult, ToolResult, read_result
from apps.integrations.rootint.stream import is_stream

NOBODYS_TIER = "rootint-check-no-tier"


class Misshapen(Exception):
    """The answer does not have the form the protocol asks for; ``rule`` names which."""

    def __init__(self, told: str, *, rule: str = "answer") -> None:
        super().__init__(told)
        self.told = told
        self.rule = rule


@dataclass(frozen=True, slots=True)
class Trial:
    """One tool of one backend, and a person who may use it."""

    row: Integration
    tool: ManifestTool
    principal: InvocationPrincipal

    @property
    def seconds(self) -> float:
        """How long Root would wait."""
        return self.tool.timeout_seconds or ENDPOINTS["tool_invoke"].timeout_seconds

    def body(
        self, params: Mapping[str, Any], *, invocation_id: UUID, principal: InvocationPrincipal
    ) -> bytes:
        """The request of one invocation."""
        channel = min(self.tool.channels) if self.tool.channels else "api"
        invocation = Invocation(principal=principal, channel=channel, invocation_id=invocation_id)
        return invocation_body(invocation, params=params)

    def call(
        self,
        params: Mapping[str, Any],
        *,
        invocation_id: UUID | None = None,
        principal: InvocationPrincipal | None = None,
    ) -> Heard:
        """One signed invocation, given up when the tool's own time is over."""
        body = self.body(
            params, invocation_id=invocation_id or uuid4(), principal=principal or self.principal
        )
        return signed(self.row, "tool_invoke", body=body, tool=self.tool.name, timeout=self.seconds)


def somebody(tool: ManifestTool, people: tuple[BackendPerson, ...]) -> InvocationPrincipal:
    """A person of the roster who may use the tool, or one made up for it."""
    found = next((person for person in people if _may(tool, person)), None)
    if found is not None:
        return InvocationPrincipal(
            ref=found.ref,
            tier=found.tier,
            is_admin=found.is_admin,
            display_name=found.display_name or None,
            slack_user_id=found.slack_user_id,
            email=found.email,
        )
    tiers = (tool.tiers or frozenset({"member"})) - {ADMIN}
    admin = tool.admin_only or not tiers
    return InvocationPrincipal(ref="rootint-check", tier=min(tiers, default="member"), is_admin=admin)


def result_of(heard: Heard) -> ToolResult:
    """The result of a good reply, stream or not; raises :class:`Misshapen`."""
    if is_stream(heard.content_type):
        return _checked(_only_result(heard.raw))
    try:
        value = heard.json()
    except BadJson:
        raise Misshapen(f"not JSON: {heard.shown()}") from None
    if not heard.content_type.lower().startswith("application/json"):
        raise Misshapen(f"the content type is {heard.content_type!a}, not application/json")
    return _checked(value)


def _checked(value: Any) -> ToolResult:
    try:
        result = read_result(value)
    except BadResult as error:
        raise Misshapen(str(error)) from None
    said = value.get("error")
    if not result.success and not (isinstance(said, str) and said.strip()):
        raise Misshapen("a failure must carry its reason as a sentence in “error”")
    offered = value.get("images")
    if offered is not None and (not isinstance(offered, list) or len(read_images(offered)) != len(offered)):
        raise Misshapen("images must be at most ten of {name?, base64, contentType}, of the type they say")
    return result


def _only_result(raw: bytes) -> dict[str, Any]:
    """The result line of a stream, which must be its only one and its last; raises :class:`Misshapen`."""
    lines = [_line(line) for line in raw.split(b"\n") if line.strip()]
    results = [line for line in lines if line.get("type") == "result"]
    if len(results) != 1:
        told = "ended without a result line" if not results else f"has {len(results)} result lines"
        raise Misshapen(f"the stream {told}; exactly one is needed", rule="stream")
    if lines[-1].get("type") != "result":
        raise Misshapen("the stream goes on after its result line", rule="stream")
    silent = [line for line in lines[:-1] if not isinstance(line.get("message"), str)]
    if silent or any(line.get("type") != "progress" for line in lines[:-1]):
        raise Misshapen("a line before the result is not a progress line with a message", rule="stream")
    return results[0]


def _line(line: bytes) -> dict[str, Any]:
    try:
        value = read_json(line)
    except BadJson:
        value = None
    if not isinstance(value, dict):
        raise Misshapen(f"a line of the stream is no JSON object: {line[:60]!a}", rule="stream")
    return value


def _may(tool: ManifestTool, person: BackendPerson) -> bool:
    if tool.admin_only and not person.is_admin:
        return False
    held = {person.tier, ADMIN} if person.is_admin else {person.tier}
    return tool.tiers is None or bool(held & tool.tiers)
