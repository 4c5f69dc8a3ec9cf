"""A request under its own key: carried out once, answered alike, taken up again after a crash."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import time_machine

from apps.foundation import clock
from apps.foundation.database import give_back
from apps.foundation.errors import BadInput, Conflict
from apps.tenancy import idempotency
from apps.tenancy.context import tenant_context
from apps.tenancy.idempotency import Claim, Earlier
from apps.tenancy.models import IdempotentRequest, Tenant
from apps.tenancy.scoping import unscoped


def taken(key: str = "k1", *, content: bytes = b"{}", operation: str = "send") -> Claim | Earlier:
    return idempotency.claim(operation=operation, key=key, content=content)


def test_the_second_hears_what_the_first_was_answered(tenant: Tenant) -> None:
    with tenant_context(tenant):
        first = taken()
        assert isinstance(first, Claim)
        with pytest.raises(Conflict, match="still at work"):
            taken()
        idempotency.answered(first, status=202, answer={"id": "m1"})
        assert taken() == Earlier(202, {"id": "m1"})
        with pytest.raises(Conflict, match="different request"):
            taken(content=b"{1}")
        assert isinstance(taken(operation="turn"), Claim)


def test_a_refused_request_frees_its_key(tenant: Tenant) -> None:
    with tenant_context(tenant):
        first = taken()
        assert isinstance(first, Claim)
        idempotency.released(first)
        assert isinstance(taken(content=b"{1}"), Claim)


def test_communities_share_no_keys(tenant: Tenant, other_tenant: Tenant) -> None:
    for row in (tenant, other_tenant):
        with tenant_context(row):
            assert isinstance(taken(), Claim)


def test_the_work_of_a_dead_process_is_taken_up_once_under_its_id(tenant: Tenant) -> None:
    with tenant_context(tenant):
        first = taken()
        assert isinstance(first, Claim)
        with time_machine.travel(clock.now() + idempotency.ABANDONED + timedelta(seconds=1)):
            second = taken()
            assert isinstance(second, Claim)
            assert (second.id, second.again) == (first.id, True)
            with pytest.raises(Conflict):
                taken()
            idempotency.released(first)
            assert IdempotentRequest.objects.count() == 1


@pytest.mark.parametrize("key", ["", "x" * 201, "a\x00b", "a\ud800"])
def test_unusable_keys(tenant: Tenant, key: str) -> None:
    with tenant_context(tenant), pytest.raises(BadInput, match="Idempotency-Key"):
        taken(key)


def test_of_ten_at_once_one_carries_it_out(committed_db: None, tenant: Tenant) -> None:
    def try_it(_number: int) -> bool:
        try:
            with tenant_context(tenant):
                return isinstance(taken(), Claim)
        except Conflict:
            return False
        finally:
            give_back()

    with ThreadPoolExecutor(10) as pool:
        assert sum(pool.map(try_it, range(10))) == 1


def test_old_ones_are_forgotten(tenant: Tenant) -> None:
    with tenant_context(tenant):
        taken("old")
    with time_machine.travel(clock.now() + idempotency.KEPT + timedelta(seconds=1)):
        with tenant_context(tenant):
            taken("new")
        assert idempotency.sweep() == 1
    assert unscoped(IdempotentRequest).get().key == "new"
