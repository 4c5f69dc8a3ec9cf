"""POST /kb/search: what the community knows about something (contract §10.2, §12.2)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints
from rest_framework.request import Request

from apps.agent.readers import reader
from apps.api.operation import TenantView, operation
from apps.api.reading import NO_NUL, Body
from apps.api.v1.kb.words import TAG, PersonRef, SourceType
from apps.foundation.errors import Unavailable
from apps.knowledge.retrieval.pages import DEFAULT_LIMIT, MAX_LIMIT, Passage, search_pages

FAILED = "The knowledge base could not be searched just now; nothing can be concluded from that."
Question = Annotated[str, StringConstraints(pattern=NO_NUL, min_length=1, max_length=2_000)]


class SearchAsked(Body):
    """A question, and for whom."""

    query: Annotated[Question, Field(examples=["When is the house open?"])]
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT, description="Passages at most.")] = DEFAULT_LIMIT
    source_types: Annotated[
        list[SourceType] | None, Field(max_length=100, description="Only pages of these kinds.")
    ] = None
    principal_ref: Annotated[
        PersonRef | None,
        Field(description="Search as this person. Without it, as an ordinary member of the tier `member`."),
    ] = None


class PassageShown(BaseModel):
    """A passage of a page, and what stands before and after it."""

    title: str
    slug: str
    public_id: str
    is_public: bool
    source_url: str | None
    source_type: str
    author_name: str | None
    section: Annotated[str | None, Field(description="The headings it stands under.")]
    text: str
    neighbors: list[str]
    score: float


class SearchFound(BaseModel):
    """How the search went and what it found, the best first."""

    status: Annotated[
        Literal["found", "empty", "partial"],
        Field(
            description="`partial`: a part of the search gave no answer; only `empty` means there is nothing."
        ),
    ]
    results: list[PassageShown]
    degraded: Annotated[list[str], Field(description="The parts that gave no answer.")]
    ranking: Annotated[
        Literal["fused", "reranked"], Field(description="Whether a model ordered the results once more.")
    ]
    dropped: Annotated[int, Field(description="Further hits that were left out.")]


class Search(TenantView):
    """Searching."""

    @operation(
        "Search the knowledge base",
        name="kb_search",
        tag=TAG,
        answers={200: SearchFound},
        body=SearchAsked,
        refuses={404},
    )
    def post(self, request: Request, body: SearchAsked) -> SearchFound:
        """By meaning and by words. A search that failed altogether is answered 503, never with an empty list."""
        audience = reader(body.principal_ref).narrowed_to(body.source_types)
        outcome = search_pages(body.query, audience=audience, limit=body.limit)
        if outcome.status == "failed":
            raise Unavailable(FAILED)
        shown: dict[str, Any] = {
            "status": outcome.status,
            "results": [_shown(passage) for passage in outcome.passages],
            "degraded": list(outcome.degraded),
            "ranking": outcome.ranking,
            "dropped": outcome.dropped,
        }
        return SearchFound(**shown)


def _shown(passage: Passage) -> PassageShown:
    own = {name: getattr(passage, name) for name in PassageShown.model_fields if name != "title"}
    return PassageShown(title=passage.page_title, **{**own, "neighbors": list(passage.neighbors)})
