"""One conformance run, from the signature to the last notice (contract §7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from apps.foundation import clock
from apps.integrations.conformance import report
from apps.integrations.conformance.declared import Unusable, check_manifest, fetched, known_tiers, read
from apps.integrations.conformance.notices import check_escalations, check_links
from apps.integrations.conformance.people import ask_roster, check_identity, check_roster
from apps.integrations.conformance.report import Finding, Report
from apps.integrations.conformance.signatures import check_signatures
from apps.integrations.conformance.tools import check_tools, readable
from apps.integrations.models import Integration


def examine(row: Integration, *, given: Mapping[str, Mapping[str, Any]]) -> Report:
    """Everything that can be seen from outside; ``row`` need not be stored. ``given``: arguments by tool name.

    Calls carry the id of the community in context. What a backend does wrong is a finding, never an exception.
    """
    return report.of(_findings(row, given), url=row.base_url, at=clock.now())


def _findings(row: Integration, given: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    try:
        raw = fetched(row)
        manifest = read(raw)
    except Unusable as unusable:
        yield from check_signatures(row, tool=None)
        yield from unusable.findings
        return
    reads = readable(manifest)
    yield from check_signatures(row, tool=reads.name if reads else None)
    yield from check_manifest(raw, manifest)
    roster = ask_roster(row)
    tiers = known_tiers(manifest)
    yield from check_roster(roster, tiers=tiers)
    yield from check_identity(row, roster, tiers=tiers)
    yield from check_tools(row, manifest, roster.people, given=given)
    yield from check_links(row, manifest, roster.people)
    yield from check_escalations(row)
