"""The chat page: what it shows at once, and the headers that keep it safe."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant, TenantChannel


def _page(client: Client, token: str) -> Any:
    return client.get("/web/harbour/test", headers={"Authorization": f"Bearer {token}"})


def _configure(tenant: Tenant, channel: TenantChannel, config: Any) -> None:
    with tenant_context(tenant):
        channel.config = config
        channel.save()


def test_it_shows_what_to_ask_and_whom_to_ask_as(
    client: Client, web_channel: TenantChannel, token: str
) -> None:
    html = _page(client, token).content.decode()
    for words in ("Ask Pilot about the harbour", "Harbour Works", "Which room is free at two?"):
        assert words in html
    assert '<option value="ines@harbour.example">Ines · member</option>' in html


def test_its_headers_allow_our_own_files_only(client: Client, web_channel: TenantChannel, token: str) -> None:
    answer = _page(client, token)
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Frame-Options"] == "DENY"


def test_nothing_in_it_is_inline(client: Client, web_channel: TenantChannel, token: str) -> None:
    html = _page(client, token).content.decode()
    assert not re.search(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|javascript:", html)
    assert token not in html


def test_names_are_text(client: Client, tenant: Tenant, web_channel: TenantChannel, token: str) -> None:
    Tenant.objects.filter(pk=tenant.pk).update(agent_name='"><script>1</script>', display_name="<b>H</b>")
    _configure(tenant, web_channel, {"title": "<img src=x onerror=1>", "examples": ['"><svg onload=1>']})
    from apps.foundation import ttl_cache

    ttl_cache.clear_all()
    html = _page(client, token).content.decode()
    assert "<script>1" not in html
    assert "<b>H" not in html
    assert "<img src=x" not in html
    assert "<svg" not in html


@pytest.mark.parametrize(
    "config",
    [
        {},
        [],
        "text",
        {"title": 7, "examples": "May I?", "people": {}},
        {"examples": [""], "people": [{"email": "nobody"}]},
        {"examples": ["x" * 5000], "title": None},
    ],
)
def test_a_malformed_configuration_still_opens(
    client: Client, tenant: Tenant, web_channel: TenantChannel, token: str, config: Any
) -> None:
    _configure(tenant, web_channel, config)
    answer = _page(client, token)
    assert answer.status_code == 200
    assert "Ask Pilot" in answer.content.decode()


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"root_offline_model": True}, "picked by a small"),
        (
            {"openrouter_api_key": None, "openrouter_base_url": "https://openrouter.ai/api/v1"},
            "cannot be answered yet",
        ),
    ],
)
def test_it_says_when_no_model_is_connected(
    client: Client,
    web_channel: TenantChannel,
    token: str,
    settings: Any,
    environment: dict[str, Any],
    words: str,
) -> None:
    settings.ENV = settings.ENV.model_copy(update=environment)
    html = _page(client, token).content.decode()
    assert "No language model is connected." in html
    assert words in html


def test_it_says_nothing_of_the_kind_when_one_is(
    client: Client, web_channel: TenantChannel, token: str, llm: Any
) -> None:
    assert "No language model" not in _page(client, token).content.decode()


def test_a_refusal_is_a_page_too(client: Client, web_channel: TenantChannel) -> None:
    answer = client.get("/web/harbour/test?token=wrong")
    assert "text/html" in answer.headers["Content-Type"]
    assert "Content-Security-Policy" in answer.headers
    assert "access token" in answer.content.decode()


def test_only_get_shows_it(client: Client, web_channel: TenantChannel) -> None:
    answer = client.post("/web/harbour/test")
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "method_not_allowed")
