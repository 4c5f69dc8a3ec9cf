"""The escalation webhook: the row first, then one job a backend, each tried and noted for itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import IntegrityError, transaction

import apps.agent.jobs  # noqa: F401 - registers the handler
from apps.agent.interventions import notifying
from apps.agent.interventions.notifying import Notifier, Target
from apps.agent.interventions.opening import open_intervention
from apps.agent.models import HumanIntervention, InterventionCategory
from apps.foundation.errors import Unavailable
from apps.integrations.models import Integration
from apps.tenancy import jobs
from apps.tenancy.models import QueueJob, Tenant
from apps.tenancy.principals import PersonFacts, upsert
from apps.tenancy.tenants import update_settings
from tests.fakes.backend import FakeBackend, Reply

QUEUE = notifying.NOTIFICATIONS
ROUTE = "POST /integration/escalations"
TAKEN = Reply({"success": True})
SAID = {
    "principal_ref": "m-1",
    "user_name": "Ada",
    "tier": "mentor",
    "escalation_reason": "Only the team can refund.",
    "user_request_summary": "Refund of the desk 😊",
    "what_was_checked": "The refund page",
}


@pytest.fixture
def backend(in_tenant: Tenant) -> Iterator[FakeBackend]:
    with FakeBackend() as running:
        running.answer(ROUTE, TAKEN)
        connect("house", running)
        yield running


def connect(name: str, backend: FakeBackend, **facts: Any) -> None:
    Integration.objects.create(name=name, base_url=backend.url, signing_secret=backend.secret, **facts)


def escalate(
    category: InterventionCategory = InterventionCategory.ESCALATION, **facts: Any
) -> HumanIntervention:
    return open_intervention(
        category,
        **{"channel": "slack", "title": "Refund", "details": "All of it", "metadata": dict(SAID)} | facts,
    )


def noted(row: HumanIntervention) -> dict[str, Any]:
    found: dict[str, Any] = HumanIntervention.objects.get(pk=row.pk).metadata.get("sinks", {})
    return {label: {k: v for k, v in entry.items() if k != "at"} for label, entry in found.items()}


def later() -> None:
    QueueJob.objects.filter(queue=QUEUE).update(run_after="2020-01-01T00:00:00Z")
    jobs.run_due(QUEUE)


def test_the_row_then_a_signed_call_then_the_note(backend: FakeBackend, in_tenant: Tenant) -> None:
    row = escalate()
    assert backend.requests == []
    assert noted(row) == {"integration": {"status": "queued"}}
    jobs.run_due(QUEUE)
    (sent,) = backend.calls(ROUTE)
    assert sent.signed
    assert sent.json == {
        "type": "escalation", "tenant_id": str(in_tenant.pk), "intervention_id": str(row.pk), "channel": "slack",
        **SAID,
    }  # fmt: skip
    assert noted(row) == {"integration": {"status": "delivered"}}
    assert HumanIntervention.objects.get().metadata["sinks"]["integration"]["at"]


@pytest.mark.parametrize(
    "category", [c for c in InterventionCategory if c != InterventionCategory.ESCALATION]
)
def test_other_kinds_say_which_they_are(backend: FakeBackend, category: InterventionCategory) -> None:
    person = upsert(PersonFacts(ref="m-2", tier="member", display_name="Mo"))
    row = escalate(category, metadata={"trace_id": "t"}, principal=person)
    jobs.run_due(QUEUE)
    sent = backend.calls(ROUTE)[0].json
    assert sent["type"] == category.value
    assert (sent["principal_ref"], sent["user_name"], sent["tier"]) == ("m-2", "Mo", "member")
    assert (sent["escalation_reason"], sent["user_request_summary"], sent["what_was_checked"]) == (
        row.title,
        row.details,
        "",
    )


def test_what_is_rolled_back_is_told_to_nobody(backend: FakeBackend) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        escalate()
        raise IntegrityError
    jobs.run_due(QUEUE)
    assert backend.requests == [] and not QueueJob.objects.filter(queue=QUEUE).exists()


def test_three_attempts_then_the_row_says_that_nobody_heard(backend: FakeBackend) -> None:
    backend.answer(ROUTE, Reply(status=503))
    row = escalate()
    jobs.run_due(QUEUE)
    assert (QueueJob.objects.get().state, noted(row)) == ("retrying", {"integration": {"status": "queued"}})
    later()
    later()
    later()
    assert len(backend.calls(ROUTE)) == 3
    assert {call.json["intervention_id"] for call in backend.calls(ROUTE)} == {str(row.pk)}
    entry = noted(row)["integration"]
    assert entry["status"] == "failed" and "503" in entry["error"]


def test_a_second_attempt_may_succeed(backend: FakeBackend) -> None:
    backend.answer(ROUTE, Reply(status=500), TAKEN)
    row = escalate()
    jobs.run_due(QUEUE)
    later()
    assert (len(backend.calls(ROUTE)), noted(row)) == (2, {"integration": {"status": "delivered"}})


def test_of_several_backends_one_that_fails_repeats_no_other(backend: FakeBackend) -> None:
    with FakeBackend() as weak:
        connect("crm", weak)
        weak.answer(ROUTE, Reply(status=500))
        row = escalate()
        assert QueueJob.objects.filter(queue=QUEUE).count() == 2
        jobs.run_due(QUEUE)
        later()
        later()
        assert (len(backend.calls(ROUTE)), len(weak.calls(ROUTE))) == (1, 3)
    assert {label: entry["status"] for label, entry in noted(row).items()} == {
        "integration:house": "delivered",
        "integration:crm": "failed",
    }


@pytest.mark.parametrize("status", ["pending", "disabled"])
def test_only_active_backends_are_told(in_tenant: Tenant, status: str) -> None:
    with FakeBackend() as running:
        connect("house", running, status=status)
        row = escalate()
    assert noted(row) == {} and not QueueJob.objects.filter(queue=QUEUE).exists()


def test_a_community_may_turn_it_off(backend: FakeBackend, in_tenant: Tenant) -> None:
    from apps.tenancy.context import tenant_context

    with tenant_context(update_settings(in_tenant, {"notifications": {"integration": False}})):
        escalate()
    assert not QueueJob.objects.filter(queue=QUEUE).exists()


def test_a_backend_disconnected_meanwhile_is_not_called(backend: FakeBackend) -> None:
    row = escalate()
    Integration.objects.update(status="disabled")
    jobs.run_due(QUEUE)
    assert backend.requests == []
    assert noted(row)["integration"]["status"] == "failed"
    assert QueueJob.objects.get().attempts == 1


def test_a_job_run_again_after_its_delivery_calls_nobody(backend: FakeBackend) -> None:
    escalate()
    jobs.run_due(QUEUE)
    QueueJob.objects.update(state="waiting")
    jobs.run_due(QUEUE)
    assert len(backend.calls(ROUTE)) == 1


@pytest.fixture
def notifier() -> Iterator[Callable[[Notifier], None]]:
    """`notifier(one)` adds a way of telling before the others, for this test."""
    added: list[Notifier] = []

    def add(one: Notifier) -> None:
        added.append(one)
        notifying.NOTIFIERS.insert(0, one)

    yield add
    for one in added:
        notifying.NOTIFIERS.remove(one)


def test_a_notifier_that_breaks_keeps_no_other_from_telling(
    backend: FakeBackend, notifier: Callable[[Notifier], None]
) -> None:
    def broken(_row: HumanIntervention) -> list[Target]:
        HumanIntervention.objects.create(category="nonsense", channel="slack", title="x")
        return []

    def down(_row: HumanIntervention, _target: dict[str, Any]) -> None:
        raise Unavailable("no carrier")

    notifier(Notifier(name="broken", targets=broken, deliver=down))
    notifier(
        Notifier(
            name="mail", targets=lambda _: [Target(label="mail:a"), Target(label="mail:b")], deliver=down
        )
    )
    row = escalate()
    jobs.run_due(QUEUE)
    assert len(backend.calls(ROUTE)) == 1
    assert {label: entry["status"] for label, entry in noted(row).items()} == {
        "mail:a": "queued", "mail:b": "queued", "integration": "delivered",
    }  # fmt: skip
