"""Which sources an answer rests on, read from the calls of its turn."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.agent.kernel.types import ExecutedCall
from apps.agent.tools.declaration import Tool

MAX_UNCITED_PAGES = 3
# So many words in a row are no coincidence: the answer took them from the page.
QUOTED_WORDS = 6
# An answer that names no page rests on those with which it shares this many longer words.
SHARED_WORDS = 3
TELLING_LENGTH = 5
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One source of an answer: a page of the knowledge base or the web, a message in Slack, or a tool of the
    community's backend."""

    title: str
    url: str | None
    kind: str
    ref: str


def sources_of(
    calls: Iterable[ExecutedCall], *, answer: str, tools: Mapping[str, Tool]
) -> tuple[Source, ...]:
    """The pages and Slack messages the answer names or quotes (else the best few found), then web pages, then backend
    tools."""
    succeeded = [call for call in calls if call.success]
    # A backend's tool may bear the name of one of ours that is not on offer here; its words are not our pages.
    own = [call for call in succeeded if call.name not in tools or tools[call.name].origin == "core"]
    pages, talk = _pages(own), _talk(own)
    quoted = _runs(answer)
    linked = _linked([*pages, *talk], answer)
    cited = [p for p in (*pages, *talk) if p.source.url in linked or _is_named(p, answer) or quoted & p.runs]
    shown = [page.source for page in cited or (*_drawn_on(pages, answer), *_drawn_on(talk, answer))]
    return (*shown, *_web_pages(own, answer=answer), *_backends(succeeded, tools))


@dataclass(slots=True, kw_only=True)
class _Page:
    """A page or message that was found, with the runs of words of all its passages."""

    source: Source
    runs: set[tuple[str, ...]] = field(default_factory=set)
    words: set[str] = field(default_factory=set)

    def add(self, text: str) -> None:
        self.runs |= _runs(text)
        self.words |= _telling_words(text)


def _pages(calls: Iterable[ExecutedCall]) -> list[_Page]:
    found: dict[str, _Page] = {}
    for item in _passages(calls):
        source = Source(title=str(item.get("title", "")), url=item.get("url"), kind="page", ref=item["slug"])
        page = found.setdefault(source.ref, _Page(source=source))
        page.add(str(item.get("text", "")))
    return list(found.values())


def _talk(calls: Iterable[ExecutedCall]) -> list[_Page]:
    """Messages and summaries of threads that a search in Slack brought."""
    found: dict[str, _Page] = {}
    for item in _records(calls, tool="search_slack_messages", under="results", having="message_ts"):
        ref = f"{item.get('channel_id', '')}:{item['message_ts']}"
        said = [str(item[part]) for part in ("author", "channel", "date") if item.get(part)]
        link = item.get("permalink")
        url = link if isinstance(link, str) else None
        source = Source(title=", ".join(said) or "Slack", url=url, kind="slack", ref=ref)
        message = found.setdefault(ref, _Page(source=source))
        for part in ("question", "text", "resolution"):
            message.add(str(item.get(part, "")))
    return list(found.values())


def _drawn_on(pages: Iterable[_Page], answer: str) -> list[_Page]:
    """An answer in words of its own still shares the telling ones with its page; "I found nothing" shares none."""
    said = _telling_words(answer)
    return [page for page in pages if len(page.words & said) >= SHARED_WORDS][:MAX_UNCITED_PAGES]


def _passages(calls: Iterable[ExecutedCall]) -> Iterable[dict[str, Any]]:
    return _records(calls, tool="search_knowledge_base", under="results", having="slug")


def _records(
    calls: Iterable[ExecutedCall], *, tool: str, under: str, having: str
) -> Iterable[dict[str, Any]]:
    for call in calls:
        data = call.result.get("data") if call.name == tool else None
        listed = data.get(under) if isinstance(data, dict) else None
        for item in listed if isinstance(listed, list) else []:
            # A truncated result may end in a note instead of a record.
            if isinstance(item, dict) and isinstance(item.get(having), str):
                yield item


def _web_pages(calls: Iterable[ExecutedCall], *, answer: str) -> list[Source]:
    """Those whose address the answer gives; else the few that were named first."""
    found = {
        page["url"]: Source(title=str(page.get("title", "")), url=page["url"], kind="web", ref=page["url"])
        for page in _records(calls, tool="search_current_events", under="sources", having="url")
    }
    named = [source for url, source in found.items() if _stands_in(url, answer)]
    return named or list(found.values())[:MAX_UNCITED_PAGES]


def _linked(pages: Iterable[_Page], answer: str) -> set[str]:
    """Addresses that stand in the answer as a whole and belong to one page only: a shared one tells nothing."""
    urls = Counter(page.source.url for page in pages if page.source.url)
    return {url for url, count in urls.items() if count == 1 and _stands_in(url, answer)}


def _stands_in(url: str, answer: str) -> bool:
    # The beginning of a longer address is another page.
    return re.search(re.escape(url) + r"(?![^\s<>()\[\]\"'|]*\w)", answer) is not None


def _is_named(page: _Page, answer: str) -> bool:
    title = page.source.title
    # A person, a channel or a day in an answer does not yet mean their message.
    if page.source.kind == "slack":
        return False
    if re.search(rf"\b{re.escape(title)}\b", answer) is None:
        return False
    # A title of one word may be just a word of the answer; then something else of the page must be there too.
    own = _telling_words(title)
    return len(_WORD.findall(title)) > 1 or bool((page.words - own) & _telling_words(answer))


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    runs = zip(*(words[start:] for start in range(QUOTED_WORDS)), strict=False)
    # Rows of times and numbers resemble each other without being taken from one another.
    return {run for run in runs if sum(word.isalpha() for word in run) >= QUOTED_WORDS - 2}


def _telling_words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.casefold()) if len(word) >= TELLING_LENGTH}


def _backends(calls: Iterable[ExecutedCall], tools: Mapping[str, Tool]) -> list[Source]:
    found: dict[str, Source] = {}
    for call in calls:
        tool = tools.get(call.name)
        if tool is not None and tool.origin == "integration":
            found.setdefault(tool.name, Source(title=tool.label, url=None, kind="tool", ref=tool.name))
    return list(found.values())
