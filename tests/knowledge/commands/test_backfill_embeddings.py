"""``manage.py backfill embeddings``: missing vectors at once, tenant by tenant."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.knowledge.models import KnowledgeChunk
from apps.knowledge.pages import save_page
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.fakes.llm import fails

pytestmark = pytest.mark.django_db


def _run(*arguments: str) -> str:
    out = StringIO()
    call_command("backfill", "embeddings", *arguments, stdout=out)
    return out.getvalue()


def _unembedded(tenant: Tenant, llm: Any) -> None:
    llm.embedding.replies.append(fails(503))
    with tenant_context(tenant):
        save_page(title="Gate", content_text="The gate is open from seven to ten.")


def test_all_active_communities(tenant: Tenant, other_tenant: Tenant, llm: Any) -> None:
    for owner in (tenant, other_tenant):
        _unembedded(owner, llm)
    said = _run()
    assert "harbour: 1 embedded." in said and "mill: 1 embedded." in said
    with tenant_context(other_tenant):
        assert KnowledgeChunk.objects.get().embedding is not None
    assert "harbour: 0 embedded." in _run()


def test_one_community_and_mistakes(tenant: Tenant, other_tenant: Tenant, llm: Any) -> None:
    for owner in (tenant, other_tenant):
        _unembedded(owner, llm)
    assert "mill" not in _run("--tenant", "harbour")
    with tenant_context(other_tenant):
        assert KnowledgeChunk.objects.get().embedding is None
    with pytest.raises(CommandError):
        _run("--tenant", "nobody")
    llm.embedding.replies.append(fails(503))
    llm.embedding.replies.append(fails(503))
    with pytest.raises(CommandError, match="does not answer"):
        _run("--tenant", "mill")
