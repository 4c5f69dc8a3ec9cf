"""The third failure of a source in a row reaches the administrators of its community, once."""

from __future__ import annotations

import pytest

from apps.agent.models import HumanIntervention
from apps.knowledge.sources import create_source
from apps.knowledge.sync.requests import QUEUE, request_sync
from apps.tenancy.jobs import registry, run_due
from apps.tenancy.models import Tenant
from tests.fakes.source_site import SourceSite


@pytest.mark.django_db
def test_it_is_one_matter_with_the_reason(in_tenant: Tenant) -> None:
    registry.autodiscover()
    with SourceSite() as site:
        source = create_source(source_key="gone", name="Gone", source_kind="api_pull", url=site.url("/gone"))
        for failures in range(1, 5):
            request_sync(source.pk)
            run_due(QUEUE)
            assert HumanIntervention.objects.count() == (failures >= 3)
    row = HumanIntervention.objects.get()
    assert (row.category, row.title) == ("system_failure", "The source Gone no longer syncs")
    assert "404" in row.details
