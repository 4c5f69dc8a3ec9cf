"""Nothing crosses between communities, nothing reaches the wrong audience (RET-06)."""

from typing import Any

import pytest

from apps.foundation.errors import NotFound
from apps.knowledge.audience import Audience
from apps.knowledge.pages import delete_page, find_page, read_page, save_page
from apps.knowledge.retrieval.pages import search_pages
from apps.tenancy.context import NoTenant, tenant_context
from apps.tenancy.models import Tenant

pytestmark = pytest.mark.django_db
MEMBER = Audience("member")


def _slugs(query: str, audience: Audience = MEMBER) -> set[str]:
    return {passage.slug for passage in search_pages(query, audience=audience).passages}


def test_equal_slugs_and_titles_never_meet(tenant: Tenant, other_tenant: Tenant, llm: Any) -> None:
    for owner in (tenant, other_tenant):
        with tenant_context(owner):
            save_page(
                title="Wi-Fi",
                slug="wifi",
                content_text=f"The password of {owner.slug} is secret-{owner.slug}.",
            )
    for owner in (tenant, other_tenant, tenant):
        with tenant_context(owner):
            passages = search_pages("password wifi secret", audience=MEMBER).passages
            assert [passage.text for passage in passages] == [
                f"The password of {owner.slug} is secret-{owner.slug}."
            ]
            page = find_page("wifi")
            assert page is not None and page.tenant_id == owner.pk


def test_another_tenants_page_is_not_there(tenant: Tenant, other_tenant: Tenant, llm: Any) -> None:
    with tenant_context(tenant):
        save_page(title="A-SECRET-42", content_text="The secret of the harbour is kept here.")
    with tenant_context(other_tenant):
        assert search_pages("A-SECRET-42", audience=Audience(None, is_admin=True)).status == "empty"
        assert find_page("a-secret-42") is None
        for attempt in (
            lambda: delete_page("a-secret-42"),
            lambda: read_page("a-secret-42", audience=MEMBER),
        ):
            with pytest.raises(NotFound):
                attempt()
    with tenant_context(tenant):
        assert _slugs("A-SECRET-42") == {"a-secret-42"}


@pytest.mark.parametrize("audience", [MEMBER, Audience(None, is_admin=True)])
def test_another_tenants_pages_do_not_crowd_out_ones_own(
    tenant: Tenant, other_tenant: Tenant, llm: Any, audience: Audience
) -> None:
    with tenant_context(other_tenant):
        for number in range(40):
            save_page(title=f"Foreign {number}", content_text="The garden budget, the garden budget.")
    with tenant_context(tenant):
        save_page(title="Own", content_text="Something about the garden and its tools.")
        found = search_pages("garden budget", audience=audience)
        # Nothing foreign was even a candidate.
        assert ([passage.slug for passage in found.passages], found.dropped) == (["own"], 0)


def test_without_a_tenant_nothing_is_searched(db: None, llm: Any) -> None:
    with pytest.raises(NoTenant):
        search_pages("password", audience=MEMBER)


def test_the_audience_holds_in_both_lanes_neighbours_and_reads(in_tenant: Tenant, llm: Any) -> None:
    text = "The budget of the garden is settled in May."
    save_page(title="Everybody", content_text=text)
    save_page(title="Mentors", content_text=text, audience_tiers=["mentor", "staff"])
    save_page(title="Admins", content_text=text, audience_tiers=[])
    save_page(title="Feed", content_text=text, source_type="url")
    assert _slugs("garden budget") == {"everybody", "feed"}
    assert _slugs("garden budget", Audience("mentor")) == {"everybody", "feed", "mentors"}
    assert _slugs("garden budget", Audience(None)) == {"everybody", "feed"}
    assert _slugs("garden budget", Audience(None, is_admin=True)) == {
        "everybody",
        "feed",
        "mentors",
        "admins",
    }
    assert _slugs("garden budget", Audience("mentor", frozenset({"url"}))) == {"feed"}
    assert _slugs("garden budget", Audience("mentor", frozenset())) == set()
    assert read_page("mentors", audience=Audience("mentor")).slug == "mentors"
    with pytest.raises(NotFound):
        read_page("mentors", audience=MEMBER)


def test_hidden_pages_do_not_crowd_out_visible_ones(in_tenant: Tenant, llm: Any) -> None:
    for number in range(40):
        save_page(
            title=f"Hidden {number}", content_text="The garden budget, the garden budget.", audience_tiers=[]
        )
    save_page(title="Visible", content_text="Something about the garden and its tools.")
    assert _slugs("garden budget") == {"visible"}
