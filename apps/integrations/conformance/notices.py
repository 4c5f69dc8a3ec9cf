"""Personal links and escalations (contract §7.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from uuid import uuid4

from apps.foundation.http_failure import HttpFailure
from apps.integrations.conformance.calling import as_body, signed
from apps.integrations.conformance.report import Finding, failed, held, passed, skipped
from apps.integrations.models import Integration
from apps.integrations.rootint.escalations import Escalation, send_escalation
from apps.integrations.rootint.links import issue_link
from apps.integrations.rootint.manifest import Manifest
from apps.integrations.rootint.people import BackendPerson

NOBODY = "rootint-check-nobody"


def check_links(row: Integration, manifest: Manifest, people: tuple[BackendPerson, ...]) -> Iterator[Finding]:
    """Each destination for a person of the roster, and for nobody."""
    named = (*manifest.link_destinations, *(each.destination for each in manifest.link_destination_details))
    destinations = list(dict.fromkeys(named))
    if not destinations:
        yield skipped("links.issued", "the manifest names no link destinations")
        return
    yield _refused(row, "links.unknown_destination", "rootint-check", people[0].ref if people else NOBODY)
    yield _refused(row, "links.unknown_person", destinations[0], NOBODY)
    if not people:
        yield skipped("links.issued", "the roster names nobody to issue a link for")
        return
    for destination in destinations:
        yield _issued(row, destination, people)


def check_escalations(row: Integration) -> Iterator[Finding]:
    """One notice, once more, and one of another type: all three are accepted."""
    notice = Escalation(
        intervention_id=uuid4(),
        principal_ref=NOBODY,
        user_name="rootint_check",
        channel="api",
        tier="unresolved",
        escalation_reason="A conformance run. There is nothing to do.",
        user_request_summary="None; a conformance run sent this.",
    )
    yield _accepted(row, "escalations.accepted", notice)
    yield _accepted(row, "escalations.repeated", notice)
    other = replace(notice, intervention_id=uuid4(), type="rootint_check")
    yield _accepted(row, "escalations.other_type", other)


def _issued(row: Integration, destination: str, people: tuple[BackendPerson, ...]) -> Finding:
    check = f"links.issued.{destination[:40]}"
    try:
        urls = [issue_link(row, destination=destination, principal_ref=each.ref) for each in people[:2]]
    except HttpFailure as failure:
        return failed(check, failure.message)
    return held(check, "two people got the same link" if len(set(urls)) < len(urls) else None)


def _refused(row: Integration, check: str, destination: str, ref: str) -> Finding:
    body = as_body({"destination": destination, "principal_ref": ref})
    heard = signed(row, "links_issue", body=body)
    return passed(check) if heard.declined else failed(check, f"must be refused with 4xx: {heard.shown()}")


def _accepted(row: Integration, check: str, notice: Escalation) -> Finding:
    try:
        send_escalation(row, notice)
    except HttpFailure as failure:
        return failed(check, failure.message)
    return passed(check)
