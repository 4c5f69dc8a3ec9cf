"""``principal-roster-sweep``: whom a backend knows becomes known here, and nobody loses anything by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.integrations.jobs import ROSTER_SWEEP as QUEUE
from apps.integrations.models import Integration
from apps.integrations.rosters import pull
from apps.tenancy import jobs
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Principal, QueueJob, Tenant
from apps.tenancy.principals import PersonFacts, by_ref, upsert
from tests.fakes.backend import FakeBackend, Reply

ROUTE = "GET /integration/identity/roster"


def person(ref: str, **facts: Any) -> dict[str, Any]:
    return {"principal_ref": ref, "display_name": ref.title(), "tier": "member"} | facts


@pytest.fixture
def backend(in_tenant: Tenant) -> Iterator[FakeBackend]:
    with FakeBackend() as running:
        yield running


@pytest.fixture
def row(backend: FakeBackend) -> Integration:
    made: Integration = Integration.objects.create(
        name="house", base_url=backend.url, signing_secret=backend.secret
    )
    return made


@pytest.fixture
def told(backend: FakeBackend, row: Integration) -> Callable[..., Any]:
    """`told(entry, …)` sets the roster and pulls it."""

    def tell(*entries: Any) -> Any:
        backend.answer(ROUTE, Reply({"principals": list(entries)}))
        return pull(row, before=[])

    return tell


def held(ref: str) -> tuple[str | None, str | None]:
    found = by_ref(ref)
    assert found is not None
    return found.slack_user_id, found.email


def test_everybody_is_stored_as_the_backend_says(told: Callable[..., Any], row: Integration) -> None:
    told(
        person(
            "ada",
            tier="mentor",
            is_admin=True,
            slack_user_id="U1",
            email="Ada@H.example",
            traits={"team": "x"},
            profile_context="Sails.",
        )
    )
    ada = Principal.objects.get()
    assert (ada.ref, ada.tier, ada.is_admin, ada.display_name) == ("ada", "mentor", True, "Ada")
    assert (ada.slack_user_id, ada.email, ada.profile_context) == ("U1", "ada@h.example", "Sails.")
    assert ada.traits == {"team": "x", "tier_integration": str(row.pk)}
    assert ada.tier_resolved_at is not None


def test_reserved_and_malformed_entries_are_passed_over(told: Callable[..., Any]) -> None:
    tiers = ("unresolved", "public", "public_email", "__admin__", "Public", "un\u200bresolved", "", None, 7)
    refs: tuple[Any, ...] = (
        "a\nb",
        "a\u200bb",
        "email:x@h.example",
        "SLACK:U1",
        "Anonymous",
        "x" * 300,
        "",
        None,
        [],
    )
    enrolled = told(
        *(person(f"tier-{n}", tier=tier) for n, tier in enumerate(tiers)),
        *(person("x") | {"principal_ref": ref} for ref in refs),
        "ada", None, 7, [], {},
        person("ada"),
    )  # fmt: skip
    assert enrolled.added == 1
    assert Principal.objects.get().ref == "ada"


def test_telling_it_again_changes_nothing(told: Callable[..., Any]) -> None:
    people = [person("ada", slack_user_id="U1", email="a@h.example"), person("mo", slack_user_id="U2")]
    told(*people)
    before = list(Principal.objects.order_by("ref").values("id", "ref", "email", "updated_at", "traits"))
    again = told(*people)
    assert (again.added, again.changed, again.unchanged) == (0, 0, 2)
    assert before == list(
        Principal.objects.order_by("ref").values("id", "ref", "email", "updated_at", "traits")
    )


def test_who_is_gone_from_the_roster_stays(told: Callable[..., Any]) -> None:
    told(person("ada", slack_user_id="U1"), person("mo"))
    told(person("mo"))
    ada = by_ref("ada")
    assert ada is not None and (ada.tier, ada.slack_user_id) == ("member", "U1")
    told()
    assert Principal.objects.count() == 2


def test_nobody_else_s_address_or_slack_id_is_taken(told: Callable[..., Any]) -> None:
    upsert(PersonFacts(ref="living", tier="member", slack_user_id="U1", email="shared@h.example"))
    told(person("ada", slack_user_id="U1", email="shared@h.example"))
    assert held("living") == ("U1", "shared@h.example")
    assert held("ada") == (None, None)


def test_of_two_entries_with_one_id_the_first_has_it(told: Callable[..., Any]) -> None:
    for _ in range(2):
        told(
            person("ada", slack_user_id="U1", email="a@h.example"),
            person("mo", slack_user_id="U1", email="A@h.example"),
            person("ada", slack_user_id="U9"),
        )
        assert (held("ada"), held("mo")) == (("U1", "a@h.example"), (None, None))


def test_ids_that_the_roster_itself_moves_are_moved(told: Callable[..., Any]) -> None:
    told(
        person("ada", slack_user_id="U1"), person("mo", slack_user_id="U2"), person("zoe", slack_user_id="U3")
    )
    told(
        person("ada", slack_user_id="U2"), person("mo", slack_user_id="U3"), person("zoe", slack_user_id="U1")
    )
    assert [held(ref)[0] for ref in ("ada", "mo", "zoe")] == ["U2", "U3", "U1"]


def test_somebody_met_through_a_channel_keeps_their_row(told: Callable[..., Any]) -> None:
    slack = upsert(PersonFacts(ref="slack:U1", tier="unresolved", slack_user_id="U1", tier_resolved_at=None))
    mail = upsert(PersonFacts(ref="email:mo@h.example", tier="member", email="mo@h.example"))
    told(person("ada", slack_user_id="U1"), person("mo", email="mo@h.example"))
    assert {str(r.pk): r.ref for r in Principal.objects.all()} == {str(slack.pk): "ada", str(mail.pk): "mo"}


def test_an_answer_newer_than_the_roster_stands(told: Callable[..., Any]) -> None:
    told(person("ada"))
    Principal.objects.update(tier="mentor", tier_resolved_at="2999-01-01T00:00:00Z")
    enrolled = told(person("ada", tier="member"))
    assert (enrolled.left_alone, Principal.objects.get().tier) == (1, "mentor")


def test_whom_an_earlier_backend_vouches_for_is_left_to_it(
    told: Callable[..., Any], row: Integration, backend: FakeBackend
) -> None:
    told(person("ada", tier="mentor", slack_user_id="U1"))
    later = Integration.objects.create(name="crm", base_url=backend.url, signing_secret=backend.secret)
    backend.answer(
        ROUTE, Reply({"principals": [person("ada", tier="member"), person("mo", slack_user_id="U1")]})
    )
    pull(later, before=[row])
    ada = by_ref("ada")
    assert ada is not None and (ada.tier, ada.slack_user_id) == ("mentor", "U1")
    assert held("mo") == (None, None)


@pytest.mark.parametrize("size", [10_000])
def test_ten_thousand_people_take_a_bounded_number_of_statements(told: Callable[..., Any], size: int) -> None:
    people = [person(f"p{n}", slack_user_id=f"U{n}", email=f"p{n}@h.example") for n in range(size)]
    with CaptureQueriesContext(connection) as first:
        assert told(*people).added == size
    with CaptureQueriesContext(connection) as second:
        assert told(*people).unchanged == size
    people = [entry | {"tier": "mentor"} for entry in people]
    with CaptureQueriesContext(connection) as third:
        assert told(*people).changed == size
    parts = size // 500
    assert max(len(first), len(second), len(third)) <= parts * 7
    assert Principal.objects.filter(tier="mentor").count() == size


@pytest.mark.parametrize(
    "bad",
    [
        Reply(b'{"principals": [{"principal_ref": "ada", "tier": "mem', hang_up="half_way"),
        Reply({"principals": {"ada": {}}}),
        Reply({}),
        Reply(status=500),
        Reply(b"<html>", headers={"content-type": "text/html"}),
    ],
)
def test_a_roster_that_breaks_changes_nobody(
    told: Callable[..., Any], backend: FakeBackend, bad: Reply
) -> None:
    told(person("ada", slack_user_id="U1"))
    before = list(Principal.objects.values())
    jobs.enqueue(QUEUE, key="roster", payload={})
    backend.answer(ROUTE, bad)
    jobs.run_due(QUEUE)
    assert list(Principal.objects.values()) == before
    job = QueueJob.objects.get(queue=QUEUE)
    assert (job.state, job.attempts) == ("retrying", 1)


def test_a_backend_that_keeps_no_roster_is_no_failure(row: Integration) -> None:
    jobs.enqueue(QUEUE, key="roster", payload={})
    jobs.run_due(QUEUE)
    assert QueueJob.objects.get(queue=QUEUE).state == "done"


def test_the_next_attempt_asks_only_those_that_failed(
    backend: FakeBackend, row: Integration, in_tenant: Tenant
) -> None:
    backend.answer(ROUTE, Reply({"principals": [person("ada")]}))
    with FakeBackend() as weak:
        Integration.objects.create(name="crm", base_url=weak.url, signing_secret=weak.secret)
        weak.answer(ROUTE, Reply(status=500), Reply({"principals": [person("mo")]}))
        jobs.enqueue(QUEUE, key="roster", payload={})
        jobs.run_due(QUEUE)
        assert by_ref("ada") is not None and by_ref("mo") is None
        QueueJob.objects.update(run_after="2020-01-01T00:00:00Z")
        jobs.run_due(QUEUE)
        assert (len(backend.calls(ROUTE)), len(weak.calls(ROUTE))) == (1, 2)
    assert by_ref("mo") is not None
    assert QueueJob.objects.get(queue=QUEUE).state == "done"


def test_a_tick_asks_for_one_run_a_community_with_an_active_backend(
    backend: FakeBackend, row: Integration, other_tenant: Tenant
) -> None:
    with tenant_context(other_tenant):
        Integration.objects.create(
            name="house", base_url=backend.url, signing_secret="x" * 8, status=Integration.Status.PENDING
        )
    backend.answer(ROUTE, Reply({"principals": [person("ada")]}))
    jobs.enqueue_tick(QUEUE)
    jobs.run_due(QUEUE)
    runs = QueueJob.objects.filter(queue=QUEUE, tick=False)
    assert [(run.tenant_id, run.state) for run in runs] == [(row.tenant_id, "done")]
    assert by_ref("ada") is not None
    with tenant_context(other_tenant):
        assert by_ref("ada") is None


def test_a_roster_and_people_who_write_meanwhile_do_not_block_each_other(
    committed_db: None, tenant: Tenant
) -> None:
    people = [person(f"p{n}", slack_user_id=f"U{n}", email=f"p{n}@h.example") for n in range(600)]

    def write(numbers: range) -> None:
        try:
            with tenant_context(tenant):
                for n in numbers:
                    upsert(PersonFacts(ref=f"slack:U{n}", tier="unresolved", slack_user_id=f"U{n}"))
        finally:
            connection.close()

    with FakeBackend() as running, tenant_context(tenant):
        row = Integration.objects.create(name="house", base_url=running.url, signing_secret=running.secret)
        running.answer(ROUTE, Reply({"principals": people}))
        with ThreadPoolExecutor(3) as pool:
            writers = [pool.submit(write, range(n, 600, 12)) for n in (0, 4)]
            pull(row, before=[])
            pull(row, before=[])
            for writer in writers:
                writer.result(timeout=60)
        pull(row, before=[])
        by_id = dict(Principal.objects.exclude(slack_user_id=None).values_list("slack_user_id", "ref"))
        refs = set(Principal.objects.values_list("ref", flat=True))
    assert set(by_id) == {f"U{n}" for n in range(600)}
    assert {f"p{n}" for n in range(600)} <= refs
