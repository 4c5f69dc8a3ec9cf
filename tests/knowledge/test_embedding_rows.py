"""Vectors of Slack messages and thread artifacts, made like those of chunks (RET-04)."""

from typing import Any

import pytest

from apps.foundation.clock import now
from apps.knowledge import sweep
from apps.knowledge.embedding_kinds import KindName, kind_of
from apps.knowledge.indexing import embed_pending_rows, is_waiting
from apps.knowledge.models import ProcessedSlackMessage, SlackThreadArtifact
from apps.tenancy.models import Tenant
from tests.fakes.llm import EMBEDDER

pytestmark = pytest.mark.django_db


def _message(text: str, number: int = 1, **more: Any) -> ProcessedSlackMessage:
    row = ProcessedSlackMessage(
        channel_id="C1", message_ts=f"17000000{number:02}.0001", message_text=text, message_date=now(), **more
    )
    row.save()
    return row


def _artifact(number: int) -> SlackThreadArtifact:
    row = SlackThreadArtifact(
        channel_id="C1",
        thread_ts=f"17000000{number:02}.0001",
        kind="thread",
        document_text=f"thread {number}",
    )
    row.save()
    return row


def _asked(llm: Any) -> list[list[str]]:
    return [request.body["input"] for request in llm.requests if request.path.endswith("/embeddings")]


def test_a_message_is_embedded_as_it_was_written(in_tenant: Tenant, llm: Any) -> None:
    row = _message("The kiln is hot.", channel_name="workshop", user_name="Ada")
    run = embed_pending_rows("slack_messages")
    assert (run.embedded, run.left) == (1, False)
    assert _asked(llm) == [["The kiln is hot."]]
    row.refresh_from_db()
    assert row.embedder == EMBEDDER and row.embedding is not None


def test_artifacts_go_twenty_at_a_time(in_tenant: Tenant, llm: Any) -> None:
    for number in range(45):
        _artifact(number)
    run = embed_pending_rows("slack_artifacts")
    assert (run.embedded, run.left) == (20, True)
    sweep.sweep()
    assert [len(batch) for batch in _asked(llm) if batch != ["community"]] == [20, 20, 5]
    assert not is_waiting("slack_artifacts")


def test_only_the_named_rows_are_embedded(in_tenant: Tenant, llm: Any) -> None:
    wanted, other = _message("first", 1), _message("second", 2)
    embed_pending_rows("slack_messages", ids=[wanted.pk])
    other.refresh_from_db()
    assert other.embedding is None
    assert _asked(llm) == [["first"]]


def test_a_withdrawn_message_is_not_sent_anywhere(in_tenant: Tenant, llm: Any) -> None:
    _message("I take that back.", withdrawn_at=now())
    assert not is_waiting("slack_messages")
    assert embed_pending_rows("slack_messages").embedded == 0
    assert _asked(llm) == []


def test_a_bad_text_is_set_aside_and_the_good_ones_get_vectors(in_tenant: Tenant, llm: Any) -> None:
    llm.embedding.refuses = lambda text: "poison" in text
    rows = [
        _message(text, number)
        for number, text in enumerate(["good one", "poison", "  ", "😀😀", "x " * 19_500])
    ]
    run = embed_pending_rows("slack_messages")
    assert (run.embedded, run.set_aside, run.left) == (3, 2, False)
    llm.requests.clear()
    assert sweep.sweep().embedded == 0
    assert all("poison" not in batch for batch in _asked(llm))
    for row, embedded in zip(rows, [True, False, False, True, True], strict=True):
        row.refresh_from_db()
        assert (row.embedding is not None) is embedded


def test_an_edit_while_embedding_leaves_the_row_to_the_sweep(in_tenant: Tenant, llm: Any) -> None:
    from apps.knowledge.embedding import embed_rows

    row = _message("as it was")
    stale = list(ProcessedSlackMessage.objects.all())
    ProcessedSlackMessage.objects.filter(pk=row.pk).update(message_text="as it is now")
    assert embed_rows(kind_of("slack_messages"), stale).embedded == 0
    assert is_waiting("slack_messages")


@pytest.mark.parametrize("kind", ["slack_messages", "slack_artifacts"])
def test_vectors_of_another_model_are_made_anew(in_tenant: Tenant, llm: Any, kind: KindName) -> None:
    row: Any = _message("The kiln is hot.") if kind == "slack_messages" else _artifact(1)
    sweep.sweep()
    assert not sweep.has_work()
    kind_of(kind).model.objects.update(embedder="an/older-model")
    assert sweep.has_work()
    sweep.sweep()
    row.refresh_from_db()
    assert row.embedder == EMBEDDER
