"""Which page a slug or an address means, and where pages stand."""

from __future__ import annotations

from typing import Any

import pytest

from apps.foundation.errors import Unavailable
from apps.knowledge import page_addresses
from apps.knowledge.links import link_to
from apps.knowledge.page_addresses import page_named, site_address, without_link_tokens
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.tenants import update_settings
from tests.knowledge.links.cast import a_page, ada

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("llm")]


@pytest.mark.parametrize(
    "name",
    [
        "pension",
        " Pension ",
        "{id}",
        "/kb/pension",
        "/kb/{id}",
        "/kb/harbour/{id}",
        "kb/harbour/pension",
        "https://root.example/kb/harbour/{id}?token=abc#top",
        "https://elsewhere.example/kb/pension/",
        "<https://root.example/kb/harbour/{id}|the page>",
        "/kb/harbour/pens%69on",
    ],
)
def test_a_page_by_any_of_its_names(in_tenant: Tenant, name: str) -> None:
    page = a_page(slug="pension")
    assert page_named(name.replace("{id}", page.public_id)) == page


@pytest.mark.parametrize(
    "name",
    [
        "",
        "   ",
        "/",
        "/kb/",
        "/kb/mill/{id}",
        "/kb/harbour/x/{id}",
        "https://elsewhere.example/pension",
        "https://pension",
        "http://[::1",
        "pension\x00x",
        "/kb/%00",
        "\ud800",
        "p" * 5_000,
        "/kb/../pension",
    ],
)
def test_what_names_no_page(in_tenant: Tenant, name: str) -> None:
    page = a_page(slug="pension")
    assert page_named(name.replace("{id}", page.public_id)) is None


def test_another_communitys_page_has_no_name_here(tenant: Tenant, other_tenant: Tenant) -> None:
    with tenant_context(other_tenant):
        page = a_page(slug="pension")
    with tenant_context(tenant):
        assert page_named("pension") is None and page_named(page.public_id) is None


def set_base(settings: Any, *, production: bool = False, address: str | None = None) -> None:
    changes = {
        "node_env": "production" if production else "development",
        "platform_base_url": address,
    }
    settings.ENV = settings.ENV.model_copy(update=changes)


def test_the_communitys_own_address_comes_before_the_platforms(tenant: Tenant, settings: Any) -> None:
    set_base(settings, address="https://root.example")
    for own, expected in [
        (None, "https://root.example"),
        ("https://harbour.example/", "https://harbour.example"),
        ("javascript:alert(1)", "https://root.example"),
        ("https://harbour.example/below", "https://root.example"),
        ("https://user@harbour.example", "https://root.example"),
        ("https://harbour.example?x=1", "https://root.example"),
        ("not an address", "https://root.example"),
    ]:
        changed = update_settings(tenant, {"public_base_url": own} if own else {})
        with tenant_context(changed):
            assert site_address() == expected, own


def test_without_an_address_there_are_no_links_in_production(in_tenant: Tenant, settings: Any) -> None:
    set_base(settings)
    assert str(site_address()).startswith("http://localhost:")
    set_base(settings, production=True)
    assert site_address() is None
    with pytest.raises(Unavailable):
        link_to(a_page(), principal=ada())


def test_texts_are_kept_without_tokens(in_tenant: Tenant) -> None:
    page = a_page()
    url = link_to(page, principal=ada()).url
    bare = url.partition("?")[0]
    said = f"Here: [the page]({url}), <{url}|again>, and {url}. https://e.example/?token={'x' * 40}"
    assert without_link_tokens(said) == (
        f"Here: [the page]({bare}), <{bare}|again>, and {bare}. https://e.example/?token={'x' * 40}"
    )
    assert bare.endswith(page_addresses.page_path(page))
