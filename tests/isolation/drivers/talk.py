"""Slack talk under the same ids: taken in, searched, drawn from, withdrawn."""

from __future__ import annotations

from apps.agent import source_usage
from apps.integrations import identity
from apps.knowledge import indexing
from apps.knowledge.models import ProcessedSlackMessage
from apps.knowledge.retrieval.page_lanes import embed_query
from apps.knowledge.retrieval.slack import search_messages
from apps.knowledge.retrieval.slack.expertise import who_knows
from apps.knowledge.retrieval.slack.lanes import search_lanes
from apps.knowledge.retrieval.slack.reaching import how_far_back
from apps.knowledge.retrieval.slack.search import search_embedded
from apps.knowledge.slack_index import contributions, extracted, extraction, review
from apps.tenancy.models import TenantChannel
from tests.isolation.cast import SLACK, Community
from tests.isolation.workspaces import GENERAL, LATER, LINK, TS, token

LATER_LINK = LINK.replace(TS.replace(".", ""), LATER.replace(".", ""))


def connected(community: Community) -> object:
    secrets = {"bot_token": token(community.marker), "signing_secret": community.marker}
    return TenantChannel.objects.update_or_create(type="slack", defaults={"secrets": secrets})


def contributing(_community: Community) -> object:
    person = identity.resolve(channel="slack", slack_user_id=SLACK)
    added = [contributions.add_contribution(person, link) for link in (LINK, LATER_LINK)]
    indexing.embed_pending_rows("slack_messages")
    first = added[0].contribution
    assert first is not None
    return [added, contributions.refresh_contribution(person, str(first.id)), _listed()]


def searching_talk(community: Community) -> object:
    question = f"kiln door code {' '.join(community.foreign)}"
    mine = set(ProcessedSlackMessage.objects.values_list("pk", flat=True))
    embedded = embed_query(question)
    for lane in search_lanes(question, embedded).messages.values():
        ranked = {row[0] for row in lane.rows or ()}
        assert ranked and ranked <= mine
    found = search_messages(f"{question} {LINK}")
    assert found.status == "found" and found.matches[0].source_ref == f"{GENERAL}:{TS}"
    assert community.marker in found.matches[0].text
    return [found.matches, search_embedded(question, embedded).matches, who_knows(question), how_far_back()]


def drawing(_community: Community) -> object:
    assert extraction.has_work()
    extraction.propose()
    proposed = list(extraction.waiting_for_review())
    review.review()
    person = identity.resolve(channel="slack", slack_user_id=SLACK)
    pages = extracted.list_extracted(person)
    assert len(pages) == 1
    return [proposed, pages]


def changing(community: Community) -> object:
    person = identity.resolve(channel="slack", slack_user_id=SLACK)
    page = extracted.list_extracted(person)[0]
    return extracted.update_extracted(
        person, page.slug, title="Kilns", content=f"Warm at {community.marker}."
    )


def used_sources(_community: Community) -> object:
    return source_usage.answers_resting_on("guests")


def withdrawn(_community: Community) -> object:
    person = identity.resolve(channel="slack", slack_user_id=SLACK)
    for each in _listed():
        contributions.remove_contribution(person, str(each.id))
    for page in extracted.list_extracted(person):
        extracted.delete_extracted(person, page.slug)
    assert _listed() == []
    return search_messages("kiln", rerank=False).matches


def _listed() -> list[contributions.Contribution]:
    author = contributions.author_named(slack_user_id=SLACK)
    listed = contributions.list_contributions(author)
    assert {each.id for each in listed} == {
        contributions.told(row).id for row in contributions.rows_of(author)
    }
    return listed


FIRST = (connected, contributing, drawing)
DRIVERS = (searching_talk, changing)
AFTERWARDS = (used_sources,)
TAKING_AWAY = (withdrawn,)
