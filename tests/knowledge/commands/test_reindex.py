"""``manage.py reindex``: everything anew, and on from where it stopped."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.foundation.ttl_cache import clear_all
from apps.knowledge.models import KeywordStats, KnowledgeChunk
from apps.knowledge.pages import save_page
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.platform_settings import save_platform_setting, stored_setting
from tests.fakes.llm import fails

pytestmark = pytest.mark.django_db


def _run(*arguments: str) -> str:
    out = StringIO()
    call_command("reindex", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    from apps.knowledge import embedding_kinds, reindexing

    small = [embedding_kinds.EmbeddedKind(**{**vars(kind), "batch": 2}) for kind in embedding_kinds.KINDS]
    monkeypatch.setattr(reindexing, "KINDS", tuple(small))


def _pages(tenant: Tenant, count: int) -> None:
    with tenant_context(tenant):
        for number in range(count):
            save_page(title=f"Desk {number}", content_text=f"The desk in room {number} is free.")


def _texts(llm: Any) -> list[str]:
    asked = [request.body["input"] for request in llm.requests if request.path.endswith("/embeddings")]
    return [text for batch in asked for text in batch if text != "community"]


def _new_model(llm: Any, name: str = "scripted/newer") -> None:
    llm.embedding.model = name
    llm.requests.clear()
    clear_all()


def test_every_vector_is_made_anew(tenant: Tenant, other_tenant: Tenant, llm: Any) -> None:
    for owner in (tenant, other_tenant):
        _pages(owner, 3)
    _new_model(llm)
    said = _run()
    assert "chunks [##############################] 3 of 3" in said
    assert "harbour: done." in said and "mill: done." in said
    for owner in (tenant, other_tenant):
        with tenant_context(owner):
            assert set(KnowledgeChunk.objects.values_list("embedder", flat=True)) == {"scripted/newer"}
            assert KeywordStats.objects.get().n == 3
    assert len(_texts(llm)) == 6


def test_only_the_named_community(tenant: Tenant, other_tenant: Tenant, llm: Any) -> None:
    for owner in (tenant, other_tenant):
        _pages(owner, 1)
    _new_model(llm)
    _run("--tenant", "harbour")
    with tenant_context(other_tenant):
        assert KnowledgeChunk.objects.get().embedder != "scripted/newer"


def _interrupt(llm: Any, *, after: int) -> None:
    """The embedder answers the probe and so many batches, then no more."""
    llm.embedding.refuses = lambda text: False
    original = llm.embedding.replies
    served = {"count": 0}

    def refuses(text: str) -> bool:
        if text != "community":
            served["count"] += 1
            if served["count"] > after:
                original.append(fails(503))
        return False

    llm.embedding.refuses = refuses


def test_an_interrupted_run_goes_on_where_it_stood(tenant: Tenant, other_tenant: Tenant, llm: Any) -> None:
    for owner in (tenant, other_tenant):
        _pages(owner, 5)
    _new_model(llm)
    _interrupt(llm, after=8)
    with pytest.raises(CommandError, match="--resume"):
        _run()
    llm.embedding.refuses = lambda text: False
    llm.embedding.replies.clear()
    done_before = 0
    for owner in (tenant, other_tenant):
        with tenant_context(owner):
            done_before += KnowledgeChunk.objects.filter(embedder="scripted/newer").count()
    assert 5 < done_before < 10
    llm.requests.clear()
    said = _run("--resume")
    assert "harbour: done before." in said
    assert len(_texts(llm)) == 10 - done_before
    with tenant_context(other_tenant):
        assert set(KnowledgeChunk.objects.values_list("embedder", flat=True)) == {"scripted/newer"}


def test_a_community_that_came_first_meanwhile_is_not_entered_in_the_middle(
    tenant: Tenant, other_tenant: Tenant, llm: Any
) -> None:
    _pages(other_tenant, 5)
    _new_model(llm)
    _interrupt(llm, after=2)
    with pytest.raises(CommandError, match="--resume"):
        _run("--tenant", "mill")
    llm.embedding.refuses = lambda text: False
    llm.embedding.replies.clear()
    kept = stored_setting("reindex:mill")
    save_platform_setting("reindex:all", kept)
    _new_model(llm, "scripted/older")
    _pages(tenant, 5)
    _new_model(llm)
    _run("--resume")
    for owner in (tenant, other_tenant):
        with tenant_context(owner):
            assert set(KnowledgeChunk.objects.values_list("embedder", flat=True)) == {"scripted/newer"}


def test_a_finished_run_leaves_nothing_to_resume(tenant: Tenant, llm: Any) -> None:
    _pages(tenant, 1)
    _run("--tenant", "harbour")
    assert "starting from the beginning" in _run("--tenant", "harbour", "--resume")


def test_without_an_embedder_it_says_so(tenant: Tenant, llm: Any) -> None:
    llm.embedding.replies.append(fails(503))
    with pytest.raises(CommandError, match="No embedder answers"):
        _run("--tenant", "harbour")
