"""What is taken back while a model reviews an entry that rests on it."""

from __future__ import annotations

import json
from typing import Any

from django.db import connections

from apps.knowledge.models import KnowledgePage, SlackKnowledgeExtraction
from apps.knowledge.slack_index import extraction, review
from apps.knowledge.slack_index.ingest import withdraw_message
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.fakes.llm import says
from tests.knowledge.slack_index.test_extraction import ENTRY, propose
from tests.knowledge.slack_talk import say, ts_of


def test_what_is_withdrawn_while_the_review_thinks_becomes_no_page(
    committed_db: None, tenant: Tenant, llm: Any
) -> None:
    def answer(*_: Any) -> Any:
        with tenant_context(tenant):
            assert withdraw_message("C0GENERAL", ts_of(2))
        connections.close_all()
        return says(json.dumps({"verdict": "approved", "reason": "Because."}))

    with tenant_context(tenant):
        say("We always fire stoneware at 1240, and slowly: it cracks otherwise.", 1)
        say("Can confirm, a slow rise made all the difference to us.", 2, user_id="U0MO")
        propose(llm, ENTRY)
        extraction.propose()
        llm.answer_with(answer, purpose=review.PURPOSE)
        review.review()
        row = SlackKnowledgeExtraction.objects.get()
        assert row.status == "rejected" and "while it was reviewed" in row.review_reason
        assert not KnowledgePage.objects.exists()
