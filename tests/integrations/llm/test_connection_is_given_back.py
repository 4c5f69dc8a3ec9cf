"""No database connection waits for a model."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connections, transaction

from apps.foundation.database import TransactionHeld
from apps.integrations.llm import chat, embeddings
from apps.tenancy.context import tenant_context
from apps.tenancy.models import LlmTokenUsage, Tenant
from tests.fakes.llm import ScriptedLlm, says

ASK: list[dict[str, Any]] = [{"role": "user", "content": "hello"}]


def test_the_connection_is_free_while_the_model_thinks(
    llm: ScriptedLlm, committed_db: None, tenant: Tenant
) -> None:
    held: list[bool] = []
    mine = connections["default"]  # this thread's, also when the server's thread looks at it

    def look(request: dict[str, Any], headers: Any) -> Any:
        held.append(mine.connection is not None)
        return says("ok")

    llm.answer_with(look)
    with tenant_context(tenant):
        assert not LlmTokenUsage.objects.exists()  # takes a connection
        assert mine.connection is not None
        chat.complete(ASK, purpose="p")
        assert LlmTokenUsage.objects.count() == 1
    assert held == [False]


def test_a_call_inside_a_transaction_is_refused(llm: ScriptedLlm, committed_db: None, tenant: Tenant) -> None:
    with tenant_context(tenant):
        with pytest.raises(TransactionHeld), transaction.atomic():
            chat.complete(ASK, purpose="p")
        with pytest.raises(TransactionHeld), transaction.atomic():
            embeddings.embed(["x"])
    assert llm.requests == []
