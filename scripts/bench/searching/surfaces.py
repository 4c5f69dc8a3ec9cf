"""What is measured: the search in pages and the search in Slack, each with its largest vector lane."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from apps.knowledge.audience import Audience
from apps.knowledge.retrieval import pages
from apps.knowledge.retrieval.page_lanes import VECTOR_LANE_MIN
from apps.knowledge.retrieval.scope import Scope, chunk_scope, tenant_scope
from apps.knowledge.retrieval.slack import search as slack
from apps.knowledge.retrieval.slack.lanes import MESSAGE_LANE_LIMIT
from apps.knowledge.retrieval.tables import CHUNKS, MESSAGES, VectorTable
from apps.knowledge.retrieval.vector_lane import QueryVector
from scripts.bench.searching.filling import Filler, ZipfWords
from scripts.bench.searching.names import SurfaceName
from scripts.bench.searching.page_rows import SPELLED, PageRows
from scripts.bench.searching.talk_rows import TalkRows, spelled
from scripts.bench.searching.vectors import Source

MEMBER = Audience("member")


@dataclass(frozen=True, kw_only=True)
class Surface:
    """A search, its fill, and the vector lane as the search has it: its table, its scope, its length."""

    table: VectorTable
    scope: Callable[[], Scope]
    lane_limit: int
    search: Callable[[str, QueryVector], str]
    filler: Callable[[Source], Filler]
    has_audiences: bool


def _fill_pages(source: Source) -> Filler:
    words = ZipfWords(SPELLED)
    return Filler(source, words=words, writer=PageRows(words))


def _fill_talk(source: Source) -> Filler:
    words = ZipfWords(spelled())
    return Filler(source, words=words, writer=TalkRows(words))


def _search_pages(words: str, vector: QueryVector) -> str:
    return pages.search_embedded(words, vector, audience=MEMBER, limit=VECTOR_LANE_MIN).status


def _search_talk(words: str, vector: QueryVector) -> str:
    return slack.search_embedded(words, vector).status


SURFACES: dict[SurfaceName, Surface] = {
    "knowledge": Surface(
        table=CHUNKS,
        scope=lambda: chunk_scope(MEMBER),
        lane_limit=VECTOR_LANE_MIN,
        search=_search_pages,
        filler=_fill_pages,
        has_audiences=True,
    ),
    "slack": Surface(
        table=MESSAGES,
        scope=tenant_scope,
        lane_limit=MESSAGE_LANE_LIMIT,
        search=_search_talk,
        filler=_fill_talk,
        has_audiences=False,
    ),
}
