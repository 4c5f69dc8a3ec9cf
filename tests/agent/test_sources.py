"""Which sources an answer shows."""

from __future__ import annotations

from typing import Any

from apps.agent.kernel.types import ExecutedCall
from apps.agent.sources import MAX_UNCITED_PAGES, Source, sources_of
from apps.agent.tools.declaration import Tool

# No page named and no sentence quoted, but the telling words of one.
PARAPHRASE = "Yes: register visitors beforehand, as all members do."


def searched(*titles: str, success: bool = True) -> ExecutedCall:
    results = [
        {
            "title": t,
            "slug": t.lower(),
            "url": f"https://kb.example/{t.lower()}",
            "text": f"{t} may stay in the {t} shed after six. Members register visitors beforehand.",
        }
        for t in titles
    ]
    return called("search_knowledge_base", {"results": [*results, "… 3 more items cut"]}, success=success)


def called(name: str, data: Any, *, success: bool = True) -> ExecutedCall:
    return ExecutedCall(
        id=name,
        name=name,
        arguments={},
        round=1,
        result={"success": success, "data": data},
        success=success,
        outcome="ran",
    )


def shown(*calls: ExecutedCall, answer: str) -> list[str]:
    tool = Tool(
        name="rooms",
        description="d",
        label="Checking rooms",
        parameters={},
        execute=lambda _a, _u: {},
        mutates=False,
        origin="integration",
    )
    return [source.title for source in sources_of(calls, answer=answer, tools={"rooms": tool})]


def test_pages_the_answer_names_links_or_quotes_come_alone() -> None:
    pages = searched("House Guests", "Dogs", "Bikes")
    assert shown(pages, answer="As House Guests says, yes.") == ["House Guests"]
    assert shown(pages, answer="See https://kb.example/dogs") == ["Dogs"]
    assert shown(pages, answer="Well, bikes may stay in the bikes shed, after six!") == ["Bikes"]


def found(title: str, slug: str, url: str) -> dict[str, str]:
    return {"title": title, "slug": slug, "url": url, "text": f"About {slug}."}


def test_a_longer_or_shared_address_cites_nobody_else() -> None:
    visiting = "https://kb.example/visiting"
    pages = called(
        "search_knowledge_base",
        {
            "results": [
                found("Guests and visitors", "guests", visiting),
                found("Opening hours", "hours", visiting),
                found("Visiting by bike", "bike", f"{visiting}/bike"),
                found("The visit", "visit", "https://kb.example/visit"),
            ]
        },
    )
    assert shown(pages, answer=f"Guests and visitors ({visiting}): two.") == ["Guests and visitors"]
    assert shown(pages, answer=f"See {visiting}/bike.") == ["Visiting by bike"]


def test_a_title_of_one_word_is_not_cited_by_the_word() -> None:
    assert shown(searched("House Guests", "Alumni"), answer="Alumni may come, say the House Guests.") == [
        "House Guests"
    ]


def test_without_a_name_the_best_few_are_shown() -> None:
    titles = ["A1", "B2", "C3", "D4", "E5"]
    assert shown(searched(*titles), answer=PARAPHRASE) == titles[:MAX_UNCITED_PAGES]


def test_each_page_and_tool_is_shown_once_and_failures_never() -> None:
    again = [searched("Guests"), searched("Guests"), called("rooms", {}), called("rooms", {})]
    assert shown(*again, answer=PARAPHRASE) == ["Guests", "Checking rooms"]
    assert shown(searched("Guests", success=False), called("rooms", {}, success=False), answer="Guests") == []


def test_web_pages_the_answer_links_else_the_first_few() -> None:
    pages = [{"number": n, "title": f"W{n}", "url": f"https://web.example/{n}"} for n in range(1, 6)]
    research = called("search_current_events", {"report": "x", "sources": [*pages, "… cut"]})
    assert shown(research, answer="See https://web.example/4 for more.") == ["W4"]
    assert shown(research, answer="A storm is due.") == ["W1", "W2", "W3"]
    assert sources_of([research], answer="https://web.example/4", tools={}) == (
        Source(title="W4", url="https://web.example/4", kind="web", ref="https://web.example/4"),
    )


def test_odd_results_are_passed_over() -> None:
    odd: list[Any] = [None, [], "text", {"results": 3}, {"results": [None, {"title": "x"}]}]
    for data in odd:
        assert shown(called("search_knowledge_base", data), answer="x") == []
    assert isinstance(sources_of([searched("Guests")], answer=PARAPHRASE, tools={})[0], Source)


def test_an_answer_that_found_nothing_rests_on_nothing() -> None:
    assert shown(searched("House Guests", "Bikes"), answer="I found nothing that answers this.") == []
    told = called(
        "search_knowledge_base", {"results": [found("Parcels", "parcels", "https://kb.example/parcels")]}
    )
    told.result["data"]["results"][0]["text"] = "Couriers deliver parcels to the front desk before noon."
    assert shown(told, answer="Yes: couriers bring parcels, before noon, and you collect them there.") == [
        "Parcels"
    ]


def said(number: int, text: str, **more: Any) -> dict[str, Any]:
    link = f"https://harbour.slack.com/archives/C0GENERAL/p177200000{number}000100"
    about = {"author": "Ada Quist", "channel": "#general", "date": "2026-03-01", "permalink": link}
    return (
        {"kind": "message", "channel_id": "C0GENERAL", "message_ts": f"{number}.1", "text": text}
        | about
        | more
    )


def test_a_message_in_slack_is_a_source_with_its_link() -> None:
    kiln = said(1, "The kiln is free on Tuesdays after noon, ask Mo.")
    talk = called("search_slack_messages", {"results": [kiln, said(2, "Lunch."), "… cut"]})
    [source] = sources_of([talk], answer="The kiln is free on Tuesdays after noon.", tools={})
    assert source == Source(
        title="Ada Quist, #general, 2026-03-01", url=kiln["permalink"], kind="slack", ref="C0GENERAL:1.1"
    )
    linking = f"Somebody said so: {kiln['permalink']}."
    assert sources_of([talk], answer=linking, tools={}) == (source,)


def test_messages_stand_beside_pages_and_yield_to_what_is_cited() -> None:
    talk = called(
        "search_slack_messages", {"results": [said(1, "Visitors: register them beforehand, members!")]}
    )
    assert [s.kind for s in sources_of([searched("Dogs"), talk], answer=PARAPHRASE, tools={})] == [
        "page",
        "slack",
    ]
    assert shown(searched("House Guests"), talk, answer="As House Guests says, yes.") == ["House Guests"]


def test_a_name_or_a_channel_alone_cites_no_message() -> None:
    talk = called("search_slack_messages", {"results": [said(1, "Lunch is at noon.", permalink=None)]})
    assert shown(talk, answer="I asked Ada Quist in #general and found nothing.") == []
    odd = [{"message_ts": 3}, {"message_ts": "1.1", "permalink": 3, "text": None}, None]
    assert shown(called("search_slack_messages", {"results": odd}), answer="Lunch is at noon.") == []
