"""Spans and scores for whoever has a tracer, and a silent nothing for everybody else."""

from __future__ import annotations

import contextvars
import math
import os
import sys
import threading
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from apps.foundation.trace import time_ordered_id
from apps.foundation.trace import tracing as trace_ids
from apps.integrations.llm import chat, embeddings, tracing
from apps.integrations.llm.failures import LlmFailure
from apps.integrations.llm.trace_content import TEXT_LIMIT, traced_content
from apps.tenancy.models import Tenant
from tests.fakes.llm import ScriptedLlm, fails, says
from tests.plugins.tracer import LOADED

ASK: list[dict[str, Any]] = [
    {"role": "assistant", "content": None, "reasoning_details": [{"data": "signature"}]},
    {"role": "user", "content": "hello"},
]
Opik = Callable[[], Any]
TRACE = time_ordered_id().hex


def test_without_a_key_nothing_is_loaded(opik_installed: None, llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(says("hi"))
    with tracing.agent_trace("agent_run", trace_id=TRACE), tracing.span("tool:x", kind="tool") as notes:
        notes.result({"success": True})
        chat.complete(ASK, purpose="p")
        tracing.log_feedback_score("capability_gap", 1.0)
    assert [name for name in LOADED if name in sys.modules] == []


def test_a_key_without_the_package_costs_nothing(
    settings: Any, monkeypatch: pytest.MonkeyPatch, opik: Opik, llm: ScriptedLlm, in_tenant: Tenant
) -> None:
    monkeypatch.setitem(sys.modules, "opik", None)  # importing it raises
    llm.reply(says("hi"))
    with tracing.agent_trace("agent_run", trace_id=TRACE):
        assert chat.complete(ASK, purpose="p").text == "hi"
    tracing.log_feedback_score("x", 1, trace_id=TRACE)


def test_it_is_quiet_and_knows_key_and_project(opik: Opik) -> None:
    with tracing.agent_trace("agent_run", trace_id=TRACE):
        pass
    client = opik()
    assert (client.api_key, client.project_name) == ("opik-secret", "harbour")
    assert sys.modules["opik"].settings_at_import == {
        "OPIK_SENTRY_ENABLE": "false",
        "OPIK_ANALYTICS_ENABLE": "false",
        "OPIK_DEFAULT_FLUSH_TIMEOUT": "5",
    }
    assert len(sys.modules["opik"].clients) == 1


def test_a_forked_worker_gets_its_own(opik: Opik) -> None:
    tracing.log_feedback_score("x", 1, trace_id=TRACE)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        tracing.log_feedback_score("x", 1, trace_id=TRACE)
        os.write(writing, b"%d" % len(sys.modules["opik"].clients))
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 8) == b"2"
    assert len(sys.modules["opik"].clients) == 1


def test_a_model_call_carries_its_bill(opik: Opik, llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(says("hi", tokens=(100, 20), cost=0.25))
    with tracing.agent_trace("agent_run", trace_id=TRACE, given=ASK[1], community="harbour") as notes:
        chat.complete(ASK, purpose="agent.planning", span="planning_round_1")
        notes.result({"text": "hi"})
    [span] = opik().spans
    assert (span["name"], span["type"], span["parent_span_id"]) == ("planning_round_1", "llm", None)
    assert span["usage"] == {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    assert (span["total_cost"], span["model"]) == (0.25, "google/gemini-3.5-flash")
    assert span["output"] == {"text": "hi", "calls": []}
    assert "hello" in str(span["input"]) and "signature" not in str(span["input"])
    assert span["start_time"].tzinfo and span["end_time"] >= span["start_time"]
    [trace] = opik().traces
    assert trace["id"] == span["trace_id"] == str(UUID(TRACE))
    assert (trace["name"], trace["input"], trace["output"]) == ("agent_run", ASK[1], {"text": "hi"})
    assert trace["metadata"] == {"community": "harbour"}


def test_the_purpose_names_calls_nobody_named(opik: Opik, llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(says("hi"))
    with tracing.agent_trace("agent_run", trace_id=TRACE):
        chat.complete(ASK, purpose="search.rerank")
    assert opik().spans[0]["name"] == "search.rerank"


def test_a_failed_call_says_why_and_no_more(opik: Opik, llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(fails(503, "secret of the provider"))
    with pytest.raises(LlmFailure), tracing.agent_trace("agent_run", trace_id=TRACE):
        chat.complete(ASK, purpose="p")
    for record in (*opik().spans, *opik().traces):
        assert record["error_info"] == {"exception_type": "provider_error", "traceback": ""}
        assert "secret of the provider" not in str(record)


def test_embeddings_batch_by_batch(opik: Opik, llm: ScriptedLlm, in_tenant: Tenant) -> None:
    with tracing.agent_trace("agent_run", trace_id=TRACE):
        embeddings.embed([f"text {number}" for number in range(150)])
    spans = opik().spans
    assert [(span["name"], span["input"]["texts"]) for span in spans] == [
        ("embedding_batch", 100),
        ("embedding_batch", 50),
    ]
    assert all(span["total_cost"] > 0 and span["usage"]["total_tokens"] > 0 for span in spans)


def test_outside_a_run_nothing_is_traced(opik: Opik, llm: ScriptedLlm, in_tenant: Tenant) -> None:
    embeddings.embed(["a page being indexed"])
    assert "opik" not in sys.modules


def test_spans_nest_also_across_threads(opik: Opik) -> None:
    def work() -> None:
        with tracing.span("tool:search", kind="tool") as notes, tracing.span("inner"):
            notes.result({"success": False, "error_detail": "private", "images": ["…"]}, error="failed")

    with tracing.agent_trace("agent_run", trace_id=TRACE), tracing.span("outer"):
        thread = threading.Thread(target=contextvars.copy_context().run, args=(work,))
        thread.start()
        thread.join()
    spans = {span["name"]: span for span in opik().spans}
    assert spans["inner"]["parent_span_id"] == spans["tool:search"]["id"]
    assert spans["tool:search"]["parent_span_id"] == spans["outer"]["id"]
    assert spans["tool:search"]["output"] == {"success": False}
    assert spans["tool:search"]["error_info"]["exception_type"] == "failed"
    assert len({span["trace_id"] for span in spans.values()}) == 1


def test_scores_go_to_the_current_trace_or_a_named_one(opik: Opik) -> None:
    with trace_ids() as current:
        tracing.log_feedback_score("capability_gap", 1, reason="no tool books a boat")
    tracing.log_feedback_score("thumbs", 0.0, trace_id=TRACE)
    tracing.log_feedback_score("lost", 1.0)
    assert opik().scores == [
        {
            "id": str(UUID(current)),
            "name": "capability_gap",
            "value": 1.0,
            "reason": "no tool books a boat",
        },
        {"id": str(UUID(TRACE)), "name": "thumbs", "value": 0.0},
    ]


def test_a_broken_tracer_costs_nobody_an_answer(opik: Opik, llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(says("hi"))
    with tracing.agent_trace("agent_run", trace_id=TRACE):
        opik().broken = True
        assert chat.complete(ASK, purpose="p").text == "hi"
        tracing.log_feedback_score("x", 1, trace_id="not an id")
    assert opik().spans == []


def test_trace_ids_are_of_the_kind_tracers_take() -> None:
    ids = [time_ordered_id() for _ in range(50)]
    assert {(one.version, one.variant) for one in ids} == {(7, "specified in RFC 4122")}
    assert len(set(ids)) == 50
    with trace_ids() as current:
        assert UUID(current).version == 7


def test_what_is_shown_is_plain_and_bounded() -> None:
    deep: Any = "core"
    for _ in range(40):
        deep = [deep]
    shown = traced_content(
        {
            "long": "x" * 50_000,
            "many": list(range(1_000)),
            "deep": deep,
            "bytes": b"\x00",
            "nan": math.nan,
            "picture": "data:image/png;base64," + "A" * 9_000,
            "surrogate": "\ud800",
            7: None,
        }
    )
    assert len(shown["long"]) == TEXT_LIMIT + 1
    assert len(shown["many"]) == 201
    assert "core" not in str(shown["deep"])
    assert (shown["bytes"], shown["nan"], shown["7"]) == ("<bytes>", "nan", None)
    assert shown["picture"] == "<9022 characters of data>"
    assert shown["surrogate"] == "\ufffd"
