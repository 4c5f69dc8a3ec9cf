"""The sweep: missing vectors and vectors of a replaced embedder, tenant by tenant."""

from typing import Any

import pytest

from apps.foundation.errors import Unavailable
from apps.foundation.ttl_cache import clear_all
from apps.knowledge import sweep
from apps.knowledge.jobs import EMBEDDING_AUDIT
from apps.knowledge.models import KnowledgeChunk
from apps.knowledge.pages import save_page
from apps.tenancy import jobs
from apps.tenancy.context import tenant_context
from apps.tenancy.models import QueueJob, Tenant
from tests.fakes.llm import fails

TEXT = "The gate is open from seven to ten."


@pytest.mark.django_db
def test_vectors_of_a_replaced_embedder_are_made_anew(in_tenant: Tenant, llm: Any) -> None:
    save_page(title="Gate", content_text=TEXT)
    sweep.sweep()
    assert not sweep.has_work()
    llm.embedding.model = "scripted/newer"
    clear_all()
    assert sweep.has_work()
    assert sweep.sweep().embedded == 1
    assert KnowledgeChunk.objects.get().embedder == "scripted/newer"
    assert not sweep.has_work()


@pytest.mark.django_db
def test_a_sweep_without_an_embedder_says_so(in_tenant: Tenant, llm: Any) -> None:
    llm.embedding.replies.extend(fails(503) for _ in range(9))
    save_page(title="Gate", content_text=TEXT)
    with pytest.raises(Unavailable):
        sweep.sweep()


def test_a_tick_reaches_every_active_community(
    committed_db: None, tenant: Tenant, other_tenant: Tenant, llm: Any
) -> None:
    for owner in (tenant, other_tenant):
        llm.embedding.replies.append(fails(503))
        with tenant_context(owner):
            save_page(title="Gate", content_text=TEXT)
    Tenant.objects.filter(pk=other_tenant.pk).update(status=Tenant.Status.SUSPENDED)
    jobs.enqueue_tick(EMBEDDING_AUDIT)
    assert jobs.run_due(EMBEDDING_AUDIT) == 2
    assert not QueueJob.objects.exclude(state="done").exists()
    for owner, embedded in ((tenant, True), (other_tenant, False)):
        with tenant_context(owner):
            assert (KnowledgeChunk.objects.get().embedding is not None) is embedded
