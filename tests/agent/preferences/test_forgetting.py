"""Forgetting makes one's own wish inactive, and nobody else's."""

from __future__ import annotations

from typing import Any

import pytest

from apps.agent.models import MemberPreference
from apps.agent.preferences import Wish, active_preferences, forget, remember
from apps.foundation.errors import Forbidden, NotFound
from apps.tenancy.context import NoTenant, tenant_context
from apps.tenancy.models import Tenant
from tests.agent.people import known, stranger

SHORT = Wish(instructions="Keep answers short.")


@pytest.mark.usefixtures("in_tenant")
def test_a_forgotten_wish_stays_as_a_row_and_holds_no_more() -> None:
    row = remember(known(), SHORT).preference
    assert forget(known(), str(row.pk)).pk == row.pk
    assert active_preferences(known()) == []
    assert not MemberPreference.objects.get().active


@pytest.mark.usefixtures("in_tenant")
def test_forgetting_twice_is_no_mistake() -> None:
    row = remember(known(), SHORT).preference
    assert forget(known(), row.pk).pk == forget(known(), f" {row.pk} ").pk


@pytest.mark.usefixtures("in_tenant")
@pytest.mark.parametrize(
    "given", ["", "nope", "1' OR '1'='1", "x" * 10_000, "\x00", "7d0c1f7e-3f43-4a25-9a51-0d5f1b7f2c11"]
)
def test_an_id_that_is_none_is_not_found(given: str) -> None:
    remember(known(), SHORT)
    with pytest.raises(NotFound):
        forget(known(), given)
    assert len(active_preferences(known())) == 1


@pytest.mark.usefixtures("in_tenant")
def test_somebody_elses_id_is_an_id_that_does_not_exist() -> None:
    row = remember(known(), SHORT).preference
    with pytest.raises(NotFound):
        forget(known("p-mo"), row.pk)
    with pytest.raises(Forbidden):
        forget(stranger(), row.pk)
    assert active_preferences(known("p-mo")) == []
    assert len(active_preferences(known())) == 1


def test_communities_are_apart_even_for_the_same_ref(tenant: Tenant, other_tenant: Tenant) -> None:
    with tenant_context(tenant):
        row = remember(known(), SHORT).preference
        ada = known()
    with tenant_context(other_tenant):
        twin = known()
        assert active_preferences(twin) == []
        with pytest.raises(NotFound):
            forget(twin, row.pk)
    for act in (
        active_preferences,
        lambda person: remember(person, SHORT),
        lambda person: forget(person, row.pk),
    ):
        with pytest.raises(NoTenant):
            acting: Any = act
            acting(ada)
