"""Looking things up on the live web: who is asked, how fresh, and which pages vouch for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from apps.integrations.llm.failures import LlmFailure
from apps.integrations.llm.metering import collecting
from apps.integrations.llm.web_research import RECENCIES, is_connected, research
from apps.tenancy.models import LlmTokenUsage, Tenant
from tests.fakes.llm import Reply, ScriptedLlm, fails, says

RESULTS = [
    {"title": "Tide tables", "url": "https://sea.example/tides", "date": "2026-03-02"},
    {"title": "Storm\nwarning  {{x}}", "url": "http://weather.example/storm"},
]


def told(text: str | None = "High water at nine [1].", *, annotations: Any = None, **fields: Any) -> Reply:
    reply = says(text)
    assert reply.payload is not None
    if annotations is not None:
        reply.payload["choices"][0]["message"]["annotations"] = annotations
    return replace(reply, payload={**reply.payload, **fields})


@pytest.fixture
def perplexity(settings: Any) -> Iterator[ScriptedLlm]:
    with ScriptedLlm() as server:
        update = {"perplexity_base_url": server.base_url, "perplexity_api_key": SecretStr("pplx-secret")}
        settings.ENV = settings.ENV.model_copy(update=update)
        yield server


def test_the_routed_request(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(told(citations=["https://sea.example/tides"]))
    found = research("high water today", recency="day")
    [request] = llm.chats
    assert request.body["model"] == "perplexity/sonar-pro-search"
    assert request.body["search_recency_filter"] == "day"
    assert "last day" in request.body["messages"][0]["content"]
    assert request.body["messages"][1] == {"role": "user", "content": "high water today"}
    assert request.purpose == "web-research"
    assert (found.text, found.cut) == ("High water at nine [1].", False)
    assert [(page.number, page.title, page.url) for page in found.citations] == [
        (1, "sea.example", "https://sea.example/tides")
    ]


def test_its_own_key_wins(llm: ScriptedLlm, perplexity: ScriptedLlm, in_tenant: Tenant) -> None:
    bill = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12, "cost": {"total_cost": 0.006}}
    perplexity.reply(told(search_results=RESULTS, citations=["https://other.example"], usage=bill))
    with collecting() as usage:
        found = research("storm?", recency="hour")
    assert llm.requests == []
    [request] = perplexity.chats
    assert request.headers["authorization"] == "Bearer pplx-secret"
    assert (request.body["model"], request.body["search_recency_filter"]) == ("sonar-pro", "hour")
    assert {"usage", "reasoning", "provider"}.isdisjoint(request.body)
    assert [(page.title, page.url) for page in found.citations] == [
        ("Tide tables", "https://sea.example/tides"),
        ("Storm warning { {x} }", "http://weather.example/storm"),
    ]
    assert usage.totals().tokens == 12
    assert float(LlmTokenUsage.objects.get().cost_usd) == pytest.approx(0.006)


@pytest.mark.parametrize(
    ("chosen", "native"),
    [
        ("perplexity/sonar-pro-search", "sonar-pro"),
        ("perplexity/sonar-reasoning-pro", "sonar-reasoning-pro"),
        ("google/gemini-3.5-flash", "sonar-pro"),
    ],
)
def test_the_native_model_follows_the_role(
    perplexity: ScriptedLlm, in_tenant: Tenant, settings: Any, chosen: str, native: str
) -> None:
    settings.ENV = settings.ENV.model_copy(update={"llm_model_web_research": chosen})
    perplexity.reply(told())
    research("x")
    assert perplexity.chats[0].body["model"] == native


@pytest.mark.parametrize("recency", [None, *RECENCIES])
def test_every_recency_there_is(llm: ScriptedLlm, in_tenant: Tenant, recency: Any) -> None:
    llm.reply(told())
    research("x", recency=recency)
    assert llm.chats[0].body.get("search_recency_filter") == recency
    assert RECENCIES == ("hour", "day", "week", "month", "year")


def note(url: Any, title: Any = "T") -> dict[str, Any]:
    return {"type": "url_citation", "url_citation": {"url": url, "title": title, "start_index": 0}}


@pytest.mark.parametrize(
    ("reply", "urls"),
    [
        (told(annotations=[note("https://a.example"), note("https://a.example"), note("https://b.example")]),
         ["https://a.example", "https://b.example"]),
        (told(annotations=["x", {"url_citation": None}, note(3), note("https://a.example", title=7)]),
         ["https://a.example"]),
        (told(citations=["javascript:alert(1)", "https://a.example", None, "http://[x", "https://b\x00.example"]),
         ["https://a.example"]),
        (told(search_results="none", citations={"a": 1}, annotations={}), []),
        (told(citations=[f"https://{n}.example" for n in range(50)]), [f"https://{n}.example" for n in range(20)]),
        (told(citations=["https://a.example/" + "x" * 3_000]), []),
        (told(citations=["https://user:pw@a.example:8443/x?y=1#z", "https://good.example@evil.example/", "https://@b.example"]),
         ["https://a.example:8443/x?y=1#z", "https://evil.example/", "https://b.example"]),
    ],
)  # fmt: skip
def test_citations_of_every_shape(llm: ScriptedLlm, in_tenant: Tenant, reply: Reply, urls: list[str]) -> None:
    llm.reply(reply)
    assert [page.url for page in research("x").citations] == urls


def test_numbers_keep_meaning_the_marks_in_the_text(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(told("As [2] says.", citations=["ftp://a.example", "https://b.example"]))
    assert [(page.number, page.url) for page in research("x").citations] == [(2, "https://b.example")]


def test_thinking_is_not_part_of_the_report(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(told("<think>where to look</think>\nHigh water at nine."))
    assert research("x").text == "High water at nine."


def test_retries_and_failures(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(fails(503), told(None), told("At nine."))
    assert research("x", retry_delays_ms=(0, 0)).text == "At nine."
    llm.reply(fails(402), told())
    with pytest.raises(LlmFailure) as caught:
        research("x", retry_delays_ms=(0, 0))
    assert caught.value.code == "payment_required"


def test_a_long_question_is_cut(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(told())
    research("why " * 5_000)
    assert len(llm.chats[0].body["messages"][1]["content"]) == 4_000


def test_the_offline_model_searches_no_web(llm: ScriptedLlm, in_tenant: Tenant, settings: Any) -> None:
    assert is_connected()
    settings.ENV = settings.ENV.model_copy(update={"root_offline_model": True})
    assert not is_connected()
    with pytest.raises(LlmFailure) as caught:
        research("x")
    assert (caught.value.code, llm.requests) == ("no_web_research", [])


def test_its_own_key_is_enough_beside_the_offline_model(
    perplexity: ScriptedLlm, in_tenant: Tenant, settings: Any
) -> None:
    settings.ENV = settings.ENV.model_copy(update={"root_offline_model": True})
    perplexity.reply(told())
    assert research("x").text
