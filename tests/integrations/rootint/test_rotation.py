"""A new secret while calls are under way: what was sent stays good, what follows carries the new one."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator

import pytest

from apps.integrations import connect as connecting
from apps.integrations.models import Integration
from apps.integrations.registration import disable, rotate_secret
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.fakes.backend import FakeBackend, Recorded, Reply
from tests.integrations.rootint.test_invocation import ROUTE, invoke

OLD = "wire-secret"
GOOD = Reply({"success": True, "data": "booked"})


@pytest.fixture
def row(committed_db: None, tenant: Tenant, backend: FakeBackend) -> Iterator[Integration]:
    # The backend's thread rotates, so its writes must be seen by the test's.
    backend.secret = None
    with tenant_context(tenant):
        yield Integration.objects.create(name="house", base_url=backend.url, signing_secret=OLD)


def signer(seen: Recorded, *secrets: str) -> str:
    """Which of the secrets signed it."""
    text = seen.headers["x-root-timestamp"].encode() + b"." + seen.body
    given = seen.headers["x-root-signature"]
    return next(s for s in secrets if hmac.new(s.encode(), text, hashlib.sha256).hexdigest() == given)


def rotating(tenant: Tenant, reply: Reply, made: list[str]) -> object:
    def answer(_: Recorded) -> Reply:
        with tenant_context(tenant):
            made.append(rotate_secret("house").secret)
        return reply

    return answer


def test_a_call_under_way_ends_well_and_the_next_has_the_new_one(
    row: Integration, tenant: Tenant, backend: FakeBackend
) -> None:
    made: list[str] = []
    backend.answer(ROUTE, rotating(tenant, GOOD, made), GOOD)  # type: ignore[arg-type]
    assert invoke(row).success and invoke(row).success
    assert [signer(seen, OLD, *made) for seen in backend.calls(ROUTE)] == [OLD, made[0]]


def test_a_retry_has_the_new_one(row: Integration, tenant: Tenant, backend: FakeBackend) -> None:
    made: list[str] = []
    backend.answer(ROUTE, rotating(tenant, Reply(status=502), made), GOOD)  # type: ignore[arg-type]
    assert invoke(row).success
    calls = backend.calls(ROUTE)
    assert [signer(seen, OLD, *made) for seen in calls] == [OLD, made[0]]
    assert calls[0].body == calls[1].body


def test_a_backend_disconnected_between_two_attempts_is_left_alone(
    row: Integration, tenant: Tenant, backend: FakeBackend
) -> None:
    def cut(_: Recorded) -> Reply:
        with tenant_context(tenant):
            disable("house")
        return Reply(status=502)

    backend.answer(ROUTE, cut, GOOD)
    outcome = invoke(row)
    assert (outcome.success, outcome.attempts, outcome.outcome_unknown) == (False, 1, True)
    assert len(backend.calls(ROUTE)) == 1


def test_a_backend_moved_in_vain_keeps_what_changed_meanwhile(
    row: Integration, tenant: Tenant, backend: FakeBackend
) -> None:
    made: list[str] = []
    with FakeBackend(secret=None) as other:
        other.answer("GET /integration/manifest", rotating(tenant, Reply(status=500), made))  # type: ignore[arg-type]
        told = connecting.connect("house", base_url=other.url, signing_secret="another-secret")
    kept = Integration.objects.get()
    assert told.problem and told.manifest is None
    assert (kept.base_url, kept.signing_secret, kept.status) == (backend.url, made[0], "active")
    assert told.row.signing_secret == made[0]
