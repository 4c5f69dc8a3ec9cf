"""The reference backend conforms, and each fault planted in a copy of it is named."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from apps.integrations.conformance.report import Report
from apps.integrations.conformance.run import examine
from apps.integrations.models import Integration
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.integrations.conformance.planted import FAULTS, Fault, faulty
from tests.scripts.reference_backend.house import SECRET, House, running

# Both answer the same twice only if they remember: the second booking finds the room taken.
GIVEN = {"book_room": {"room": "Loft", "day": "tomorrow", "start": "12:00", "minutes": 30}}


def examined(house: House, *, secret: str = SECRET) -> Report:
    """No database stands behind these rows; pytest-django would refuse any use of one."""
    row = Integration(base_url=f"http://127.0.0.1:{house.port}", signing_secret=secret)
    with tenant_context(Tenant(id=uuid4(), slug="checked")):
        return examine(row, given=GIVEN)


def test_the_reference_backend_conforms(tmp_path: Path) -> None:
    with running(tmp_path / "port") as house:
        report = examined(house)

    assert report.failures == ()
    checked = {finding.check for finding in report.findings if finding.outcome == "passed"}
    assert {fault.check for fault in FAULTS} <= checked
    assert {"tool.export_attendance.stream", "tool.book_room.once", "links.issued.my-bookings"} <= checked


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_named(fault: Fault, tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    with faulty(fault, tmp_path) as house:
        report = examined(house)

    assert fault.check in {finding.check for finding in report.failures}, report.readable(secret=SECRET)
    # Named, not buried: whatever else fails belongs to the same subject or follows from it.
    assert len({finding.check.partition(".")[0] for finding in report.failures}) <= 2


def test_a_wrong_secret_is_told_and_shown_nowhere(tmp_path: Path) -> None:
    with running(tmp_path / "port") as house:
        report = examined(house, secret="another-secret-of-theirs")

    assert {"signature.good", "manifest.fetched"} <= {finding.check for finding in report.failures}
    shown = report.readable(secret="another-secret-of-theirs") + str(report.as_json(secret="x"))
    assert "another-secret-of-theirs" not in shown
