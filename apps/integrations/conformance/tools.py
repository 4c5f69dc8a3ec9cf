"""Does each tool answer in the protocol's form, in time, and refuse what it should? (contract §7.2, §7.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from uuid import uuid4

from apps.integrations.conformance.arguments import fits, fitting, unfitting
from apps.integrations.conformance.calling import Heard, left_half_way, signed
from apps.integrations.conformance.report import Finding, advice, failed, held, passed, skipped
from apps.integrations.conformance.trials import NOBODYS_TIER, Misshapen, Trial, result_of, somebody
from apps.integrations.models import Integration
from apps.integrations.rootint.invocation import InvocationPrincipal
from apps.integrations.rootint.manifest import Manifest, ManifestTool
from apps.integrations.rootint.people import BackendPerson
from apps.integrations.rootint.stream import is_stream

NO_SUCH_TOOL = "rootint_check_no_such_tool"
_ACTS = "acts, so it is called only with arguments of your own (--call)"


def check_tools(
    row: Integration,
    manifest: Manifest,
    people: tuple[BackendPerson, ...],
    *,
    given: Mapping[str, Mapping[str, Any]],
) -> Iterator[Finding]:
    """``given`` are arguments by tool name. Tools that act are called with those or not at all."""
    for tool in manifest.tools:
        yield from _check(Trial(row, tool, somebody(tool, people)), given.get(tool.name))
    yield from _what_is_no_call(row, manifest, people)


def readable(manifest: Manifest) -> ManifestTool | None:
    """A tool that may be called for the sake of calling."""
    return next((tool for tool in manifest.tools if tool.read_only), None)


def _check(trial: Trial, given: Mapping[str, Any] | None) -> Iterator[Finding]:
    name, tool = f"tool.{trial.tool.name}", trial.tool
    if given is None and not tool.read_only:
        yield skipped(f"{name}.answer", _ACTS)
        return
    params = fitting(tool.parameters) if given is None else given
    if params is None or not fits(tool.parameters, params):
        yield skipped(f"{name}.answer", "no arguments that fit its schema are known; give some with --call")
        return
    invocation_id = uuid4()
    heard = trial.call(params, invocation_id=invocation_id)
    yield from _answered(name, trial, heard)
    if not tool.read_only:
        yield _once(f"{name}.once", heard, trial.call(params, invocation_id=invocation_id))
        return
    wrong = unfitting(tool.parameters)
    if wrong is not None:
        yield _refusal(f"{name}.refusal", trial.call(wrong), "arguments its schema forbids")
    if tool.tiers is not None:
        stranger = InvocationPrincipal(ref="rootint-check", tier=NOBODYS_TIER)
        yield _refusal(f"{name}.tier", trial.call(params, principal=stranger), "a tier it is not for")


def _answered(name: str, trial: Trial, heard: Heard) -> Iterator[Finding]:
    if heard.failure is not None and heard.failure.kind == "timeout":
        yield failed(f"{name}.in_time", f"no whole answer within {trial.seconds:g} seconds")
        return
    if not heard.good:
        rule = "stream" if is_stream(heard.content_type) else "answer"
        yield failed(f"{name}.{rule}", f"a tool answers with 200, failures too: {heard.shown()}")
        return
    yield passed(f"{name}.in_time")
    try:
        result = result_of(heard)
    except Misshapen as wrong:
        yield failed(f"{name}.{wrong.rule}", wrong.told)
        return
    told = "" if result.success else f"declined: {result.error}"
    yield passed(f"{name}.{'stream' if is_stream(heard.content_type) else 'answer'}", told)


def _once(check: str, first: Heard, second: Heard) -> Finding:
    same = first.json_or_none() == second.json_or_none() and first.status == second.status
    told = "the same invocation_id was carried out twice, or answered differently: a retry would act again"
    return held(check, None if same else told)


def _refusal(check: str, heard: Heard, what: str) -> Finding:
    if heard.failure is not None or heard.status >= 500:
        return failed(check, f"{what} must be declined, not break it: {heard.shown()}")
    try:
        result = result_of(heard)
    except Misshapen as wrong:
        return failed(check, f"{what} must be declined as success false with a sentence: {wrong.told}")
    if result.success:
        return advice(check, f"{what} got an answer; Root checks first, a second check costs nothing")
    return passed(check)


def _what_is_no_call(
    row: Integration, manifest: Manifest, people: tuple[BackendPerson, ...]
) -> Iterator[Finding]:
    pattern = readable(manifest)
    if pattern is None:
        yield skipped("calls.unknown_tool", "no tool is marked read_only: true")
        return
    trial = Trial(row, pattern, somebody(pattern, people))
    unknown = replace(trial, tool=replace(pattern, name=NO_SUCH_TOOL)).call({})
    yield _must_decline("calls.unknown_tool", unknown, "a tool that does not exist")
    broken = signed(row, "tool_invoke", body=b'{"params": ', tool=pattern.name, timeout=trial.seconds)
    yield _must_decline("calls.not_json", broken, "a body that is no JSON")
    body = trial.body(fitting(pattern.parameters) or {}, invocation_id=uuid4(), principal=trial.principal)
    left_half_way(row, "tool_invoke", body=body, tool=pattern.name)
    after = signed(row, "manifest")
    told = (
        None if after.good else f"after a call that was given up, the next is not answered: {after.shown()}"
    )
    yield held("calls.given_up", told)


def _must_decline(check: str, heard: Heard, what: str) -> Finding:
    value = heard.json_or_none()
    refused = isinstance(value, dict) and value.get("success") is False
    if heard.declined or (heard.good and refused):
        return passed(check)
    return failed(check, f"{what} must be answered with 4xx: {heard.shown()}")
