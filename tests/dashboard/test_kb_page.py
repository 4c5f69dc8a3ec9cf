"""The page of a knowledge base over HTTP: who gets in, and what each answer carries (contract §10.5)."""

from __future__ import annotations

import re
from http.cookies import Morsel
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from apps.knowledge.links import link_to
from apps.knowledge.models import KnowledgePage, WebLinkToken
from apps.knowledge.pages import delete_page, save_page
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Principal, Tenant
from apps.tenancy.principals import PersonFacts, upsert
from apps.tenancy.tenants import set_status, shadow_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("llm")]
SECRET = "The stipend is ninety guilders"


@pytest.fixture
def private(tenant: Tenant) -> KnowledgePage:
    with tenant_context(tenant):
        return save_page(title="Stipends", slug="stipends", content_text=SECRET).page


@pytest.fixture
def ada(tenant: Tenant) -> Principal:
    with tenant_context(tenant):
        return upsert(PersonFacts(ref="p-ada", tier="member"))


def link(page: KnowledgePage, principal: Principal, *, tenant: Tenant) -> str:
    with tenant_context(tenant):
        parts = urlsplit(link_to(page, principal=principal).url)
    return f"{parts.path}?{parts.query}"


def bare(page: KnowledgePage, slug: str = "harbour") -> str:
    return f"/kb/{slug}/{page.public_id}"


def refused(response: Any, status: int) -> None:
    text = response.content.decode()
    assert response.status_code == status and response.headers["Content-Type"].startswith("text/html")
    assert SECRET not in text and "Stipends" not in text and not response.cookies
    guarded(response)


def guarded(response: Any) -> None:
    """What every answer of this address carries."""
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script" not in policy and "unsafe" not in policy
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert response.headers["Cache-Control"] == "no-store"
    assert "<script" not in response.content.decode()


def test_a_link_is_traded_for_a_cookie_and_the_bare_address(
    tenant: Tenant, private: KnowledgePage, ada: Principal
) -> None:
    client = Client()
    first = client.get(link(private, ada, tenant=tenant))
    assert (first.status_code, first.headers["Location"]) == (302, bare(private))
    guarded(first)
    cookie = client.cookies["root_kb"]
    assert cookie["httponly"] and cookie["samesite"] == "Lax" and cookie["path"] == "/kb/harbour/"
    assert cookie["max-age"] == 90 * 24 * 3600 and not cookie["secure"]
    shown = client.get(bare(private))
    assert shown.status_code == 200 and SECRET in shown.content.decode()
    assert shown.headers["X-Robots-Tag"].startswith("noindex")
    guarded(shown)


def test_the_cookie_is_for_encrypted_connections_in_production(
    tenant: Tenant, private: KnowledgePage, ada: Principal, settings: Any
) -> None:
    address = link(private, ada, tenant=tenant)
    settings.ENV = settings.ENV.model_copy(update={"node_env": "production"})
    client = Client()
    client.get(address)
    assert client.cookies["root_kb"]["secure"]


def test_a_forwarded_link_is_refused(tenant: Tenant, private: KnowledgePage, ada: Principal) -> None:
    address = link(private, ada, tenant=tenant)
    owner, other = Client(), Client()
    owner.get(address)
    response = other.get(address)
    refused(response, 403)
    assert "opened in another browser" in response.content.decode()
    refused(other.get(bare(private)), 403)
    assert owner.get(address, follow=True).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"User-Agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"},
        {"User-Agent": "Mozilla/5.0 (compatible; Discordbot/2.0)"},
        {"User-Agent": "WhatsApp/2.23"},
        {"Sec-Purpose": "prefetch;prerender"},
        {"Purpose": "prefetch"},
        {"Sec-Fetch-Dest": "image"},
        {"Sec-Fetch-Dest": "iframe"},
    ],
)
def test_who_only_looks_at_a_link_does_not_use_it_up(
    tenant: Tenant, private: KnowledgePage, ada: Principal, headers: dict[str, str]
) -> None:
    address = link(private, ada, tenant=tenant)
    refused(Client().get(address, headers=headers), 403)
    assert Client().head(address).status_code == 403
    opened = Client().get(address, headers={"User-Agent": "Mozilla/5.0 (Linux; CUBOT X18)"}, follow=True)
    assert SECRET in opened.content.decode()


def test_a_public_page_is_bare_for_everybody(tenant: Tenant) -> None:
    with tenant_context(tenant):
        page = save_page(title="Guests", content_text="Until ten.", is_public=True).page
    shown = Client().get(bare(page))
    assert shown.status_code == 200 and "Until ten." in shown.content.decode() and not shown.cookies
    assert "X-Robots-Tag" not in shown.headers and "Only for you" not in shown.content.decode()
    guarded(shown)
    with_token = Client().get(bare(page) + "?token=anything")
    assert (with_token.status_code, with_token.headers["Location"]) == (302, bare(page))
    assert not with_token.cookies and Client().head(bare(page)).status_code == 200


def test_without_a_link_a_private_page_is_refused(private: KnowledgePage) -> None:
    response = Client().get(bare(private))
    refused(response, 403)
    assert "Ask Pilot for a link of your own" in response.content.decode()
    refused(Client().get(bare(private) + "?token="), 403)
    refused(Client(headers={"Cookie": "root_kb=\xff\x00'"}).get(bare(private)), 403)


@pytest.mark.parametrize(
    "path",
    ["/kb/harbour/nothing", "/kb/nowhere/{id}", "/kb/mill/{id}", "/kb/harbour--dev/{id}", "/kb/HARBOUR/{id}"],
)
def test_ids_of_others_are_no_pages(
    tenant: Tenant, other_tenant: Tenant, private: KnowledgePage, ada: Principal, path: str
) -> None:
    shadow_of(tenant)
    client = Client()
    address = link(private, ada, tenant=tenant)
    token = address.partition("?")[2]
    client.get(address)
    client.cookies["root_kb"]["path"] = "/"
    found = path.replace("{id}", private.public_id)
    refused(client.get(found), 404)
    refused(client.get(f"{found}?{token}"), 404)


@pytest.mark.parametrize("path", ["/kb/harbour/%00", "/kb/harbour/a%20b", "/kb/harbour/x/y", "/kb/harbour/"])
def test_odd_addresses(tenant: Tenant, path: str) -> None:
    assert Client().get(path).status_code == 404


def test_a_resting_community_has_no_pages(tenant: Tenant, private: KnowledgePage, ada: Principal) -> None:
    with tenant_context(tenant):
        page = save_page(title="Guests", content_text="Until ten.", is_public=True).page
    client = Client()
    address = link(private, ada, tenant=tenant)
    client.get(address)
    set_status(tenant, Tenant.Status.SUSPENDED)
    for path in (bare(private), address, bare(page)):
        refused(client.get(path), 404)


def test_a_page_deleted_or_closed_meanwhile(tenant: Tenant, private: KnowledgePage, ada: Principal) -> None:
    client = Client()
    client.get(link(private, ada, tenant=tenant))
    unopened = link(private, ada, tenant=tenant)
    with tenant_context(tenant):
        save_page(title="Stipends", slug="stipends", content_text=SECRET, audience_tiers=["mentor"])
    refused(client.get(bare(private)), 403)
    refused(Client().get(unopened), 403)
    with tenant_context(tenant):
        assert WebLinkToken.objects.filter(bound_at=None).count() == 1
        delete_page("stipends")
    refused(client.get(bare(private)), 404)
    refused(client.get(unopened), 404)


def test_nothing_is_written_to_a_page(private: KnowledgePage) -> None:
    for method in ("post", "put", "delete", "patch"):
        assert getattr(Client(), method)(bare(private)).status_code == 405


def test_what_stands_on_the_page(tenant: Tenant) -> None:
    with tenant_context(tenant):
        page = save_page(
            title="<script>1</script> & more",
            content_html='<h2>Évenings</h2><p onclick="x()">Until ten.</p>',
            source_url="https://harbour.example/rules?a=1&b=2",
            author_name="<b>Ines</b>",
            knowledge_date="2026-03-31",
            is_public=True,
        ).page
    text = Client().get(bare(page)).content.decode()
    assert "&lt;script&gt;1&lt;/script&gt; &amp; more" in text and "&lt;b&gt;Ines&lt;/b&gt;" in text
    assert '<time datetime="2026-03-31">31 March 2026</time>' in text and "As of" in text
    assert 'href="https://harbour.example/rules?a=1&amp;b=2"' in text and ">harbour.example</a>" in text
    assert "<h2>Évenings</h2><p>Until ten.</p>" in text and "onclick" not in text


@pytest.mark.parametrize(
    "source", ["javascript:alert(1)", "data:text/html,x", "mailto:a@b.c", "http://[::1", "no-address"]
)
def test_a_source_that_is_no_web_address_is_not_linked(tenant: Tenant, source: str) -> None:
    with tenant_context(tenant):
        page = save_page(title="Guests", content_text="Until ten.", is_public=True).page
        # As a row could stand there that was written around the checks.
        KnowledgePage.objects.update(source_url=source, content_html="<p>ten</p><img src=x onerror=alert(1)>")
    text = Client().get(bare(page)).content.decode()
    assert "Source" not in text and source not in text and "onerror" not in text


def test_no_token_is_logged(
    tenant: Tenant, private: KnowledgePage, ada: Principal, caplog: pytest.LogCaptureFixture
) -> None:
    address = link(private, ada, tenant=tenant)
    client = Client()
    with caplog.at_level("DEBUG"):
        client.get(address, follow=True)
        Client().get(address)
    token = address.partition("token=")[2]
    morsel: Morsel[str] = client.cookies["root_kb"]
    assert not re.search(f"{re.escape(token)}|{re.escape(morsel.value)}", caplog.text)
