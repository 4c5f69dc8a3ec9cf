"""Sources under one key, pushed to and fetched from; deleted pages brought back from the trash."""

from __future__ import annotations

from apps.knowledge import sources
from apps.knowledge.models import KnowledgeTrash
from apps.knowledge.pages import delete_page, find_page, restore_page, save_page
from apps.knowledge.reindexing import Reindexing
from apps.knowledge.sync.requests import push_documents, request_sync
from tests.fakes.llm import EMBEDDER
from tests.isolation.cast import Community


def kept(community: Community) -> object:
    marker = community.marker
    pushed = sources.create_source(source_key="pushed", name=f"Pushed at {marker}", source_kind="api_push")
    sources.create_source(
        source_key="asked",
        name=f"Asked at {marker}",
        source_kind="webhook",
        url=f"{community.house.url}/deliver",
        secrets={"webhook_signing_secret": str(community.house.secret)},
    )
    spare = sources.create_source(
        source_key="read", name=f"Read at {marker}", source_kind="web_page", url=f"{community.site.url}/page"
    )
    sources.create_source(
        source_key="pulled",
        name=f"Pulled at {marker}",
        source_kind="api_pull",
        url=f"{community.site.url}/page",
    )
    sources.update_source(pushed.pk, audience_tiers=["staff", community.tier])
    sources.pause_source(spare.pk)
    sources.resume_source(spare.pk)
    sources.change_source(spare.pk, status="active", name=f"Read at {marker}")
    return [sources.find_source(pushed.pk), sources.source_with_key("asked"), list(sources.list_sources())]


def delivered(community: Community) -> object:
    """The runs are carried out with the other jobs, later on."""
    page = {"external_id": "same", "title": "Delivered", "content_text": f"Delivered for {community.marker}."}
    made = [push_documents("pushed", [page], options={"replace_missing": True})]
    made += [request_sync(sources.source_with_key(key).pk) for key in ("asked", "read", "pulled")]
    return [*made, sources.runs_of(made[0].source_id), list(sources.run_rows(made[0].source_id))]


def brought_back(community: Community) -> object:
    save_page(title="Attic", slug="attic", content_text=f"The attic of {community.marker}.")
    delete_page("attic", deleted_by=f"by {community.marker}")
    entry = KnowledgeTrash.objects.get(slug="attic")
    return [entry, restore_page(entry.pk), find_page("attic")]


def made_anew(community: Community) -> object:
    run = Reindexing(name=community.slug, embedder=EMBEDDER, report=lambda _progress: None)
    run.run(community.tenant.pk)
    finished = run.is_finished(community.tenant.pk)
    resumed = Reindexing(name=community.slug, embedder=EMBEDDER, report=lambda _progress: None).resume()
    run.end()
    assert finished and resumed
    return None


def source_taken_away(_community: Community) -> object:
    gone = sources.source_with_key("pushed")
    left = find_page("delivered")
    assert left is not None and left.audience_tiers is not None
    return [left, sources.runs_of(gone.pk), sources.delete_source(gone.pk), find_page("delivered")]


def final(_community: Community) -> object:
    delete_page("attic", final=True)
    return [find_page("attic"), list(KnowledgeTrash.objects.all())]


DRIVERS = (kept, delivered, brought_back, made_anew)
TAKING_AWAY = (source_taken_away, final)
