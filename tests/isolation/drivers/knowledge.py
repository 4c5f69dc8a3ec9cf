"""Pages under one slug, searching them, embedding whatever waits, counting words."""

from __future__ import annotations

from typing import get_args

from apps.agent import readers
from apps.integrations import identity
from apps.knowledge import frequencies, indexing, links, page_addresses, sweep
from apps.knowledge.audience import Audience
from apps.knowledge.embedding_kinds import KIND_NAMES, KINDS
from apps.knowledge.member_entries import Entry, refs_of, save_entry
from apps.knowledge.models import KnowledgeChunk
from apps.knowledge.page_listing import pages_after
from apps.knowledge.pages import delete_page, find_page, list_pages, read_page, save_page
from apps.knowledge.retrieval import tables
from apps.knowledge.retrieval.execution import run_statements
from apps.knowledge.retrieval.lanes import Plan, corpus_size, vector_statement
from apps.knowledge.retrieval.page_lanes import embed_query, search_lanes
from apps.knowledge.retrieval.pages import search_pages
from apps.knowledge.retrieval.scope import tenant_scope
from tests.isolation.cast import EMAIL, Community
from tests.isolation.rows import a_row_of_each

EVERYBODY = Audience(tier=None, is_admin=True)


def pages(community: Community) -> object:
    """Open to all in one community, to its staff only in the others: who may read must not cross either."""
    mine = None if community.slug == "harbour" else ["staff", community.tier]
    html = f"<h2>Evenings</h2><p>The door code is {community.marker}.</p>"
    saved = [
        save_page(title="Guests", slug="guests", content_html=html, audience_tiers=mine),
        save_page(title="Guests", slug="guests", content_html=html, author_name=f"By {community.marker}"),
        save_page(title="Guests", content_text=f"A second page of {community.marker}."),
        save_page(
            title="Safe",
            slug="safe",
            content_text=f"The safe of {community.marker}.",
            audience_tiers=["staff"],
        ),
    ]
    assert [each.page.slug for each in saved] == ["guests", "guests", "guests-2", "safe"]
    return saved


def reading(community: Community) -> object:
    page = read_page("guests", audience=Audience(tier=community.tier))
    admitted = {tier: Audience(tier=tier).admits(page) for tier in ("member", "mentor", "partner")}
    assert admitted == {tier: community.slug == "harbour" or tier == community.tier for tier in admitted}
    return [page, find_page("safe"), list(list_pages(source_type="manual"))]


def listing(_community: Community) -> object:
    return [(page.slug, page.title) for page in pages_after("", audience=Audience(tier="member"))]


def linking(community: Community) -> object:
    """The same person, the same slug: each link opens its own community's page, in its own browser."""
    person = identity.resolve(channel="email", email=EMAIL)
    page = page_addresses.page_named("guests")
    assert page is not None and person.principal is not None
    link = links.link_to(page, principal=person.principal)
    assert link.is_personal and page_addresses.is_reachable() and not page_addresses.is_open(page)
    bare, _, token = link.url.partition("?token=")
    assert bare == f"{page_addresses.site_address()}{page_addresses.page_path(page)}"
    assert page_addresses.without_link_tokens(link.url) == bare
    allowed = readers.audience_of
    cookie = links.open_link(page.public_id, token=token, browser="", audience_of=allowed) or ""
    shown = links.read_bare(page.public_id, browser=cookie, audience_of=allowed)
    return [page, shown, allowed(person.principal)]


def members_entries(community: Community) -> object:
    person = identity.resolve(channel="email", email=EMAIL)
    first = save_entry(person, Entry(title="Bees", content=f"Hives at {community.marker}."))
    new = Entry(title="Bees", content=f"No hives at {community.marker}.", update_slug=first.page.slug)
    return [first, save_entry(person, new), save_entry(person, new), refs_of(person)]


def rows_of_all_tables(community: Community) -> object:
    """Tables whose service does not exist yet still have rows that sweeps and searches come across."""
    return a_row_of_each(community)


def sweeping(_community: Community) -> object:
    had_work = sweep.has_work()
    swept = sweep.sweep()
    assert had_work and not any(indexing.is_waiting(kind) for kind in KIND_NAMES)
    one = KnowledgeChunk.objects.values_list("pk", flat=True)[:1]
    return [swept, indexing.embed_pending_rows("chunks", ids=list(one), current="another")]


def counting(_community: Community) -> object:
    frequencies.refresh()
    return [frequencies.refresh_if_due(), frequencies.is_due(), corpus_size()]


def searching(community: Community) -> object:
    everything = search_pages(f"door code safe {' '.join(community.foreign)}", audience=EVERYBODY, limit=50)
    mine = search_pages("door code", audience=Audience(tier=community.tier))
    assert everything.status == mine.status == "found"
    assert "safe" in {passage.slug for passage in everything.passages}
    assert "safe" not in {passage.slug for passage in mine.passages}
    return [everything, mine]


def lanes(community: Community) -> object:
    """What the raw statements rank, before any manager looks at it: ids of this community alone."""
    question = f"door code safe {' '.join(community.foreign)}"
    mine = set(KnowledgeChunk.objects.values_list("pk", flat=True))
    for audience in (EVERYBODY, Audience(tier=community.tier)):
        for name, lane in search_lanes(question, embed_query(question), audience=audience, limit=50).items():
            ranked = {row[0] for row in [*(lane.rows or ()), *lane.floored]}
            assert ranked and ranked <= mine, name
    return None


def walks(_community: Community) -> object:
    """Every table with vectors, walked in each of the ways there are."""
    vector = embed_query("door code")
    assert vector is not None
    for table in (each for each in vars(tables).values() if isinstance(each, tables.VectorTable)):
        model = next(kind.model for kind in KINDS if kind.model._meta.db_table == table.name)
        mine = set(model.objects.values_list("pk", flat=True))
        for plan in get_args(Plan):
            asked = vector_statement(
                vector.values,
                embedder=vector.embedder,
                scope=tenant_scope(),
                limit=50,
                plan=plan,
                table=table,
            )
            found = {row[0] for row in run_statements([asked])[asked.name] or ()}
            assert found and found <= mine, (table.name, plan)
    return None


def page_taken_away(_community: Community) -> object:
    delete_page("safe")
    return [find_page("safe"), search_pages("safe", audience=EVERYBODY)]


DRIVERS = (
    pages,
    reading,
    listing,
    linking,
    members_entries,
    rows_of_all_tables,
    sweeping,
    counting,
    searching,
    lanes,
    walks,
)
TAKING_AWAY = (page_taken_away,)
