"""Work handed to another thread keeps the tenant of whoever handed it over, or has none (RET-07)."""

from __future__ import annotations

import ast
import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

import pytest

from apps.agent.kernel.hooks import Hooks
from apps.agent.kernel.types import RunResult
from apps.agent.runner import run_agent
from apps.agent.tools.declaration import Tool, ToolUse
from apps.channels.turn_pool import TurnPool
from apps.knowledge.models import KnowledgePage
from apps.tenancy import jobs
from apps.tenancy.context import NoTenant, current_tenant, current_tenant_id, tenant_context
from apps.tenancy.jobs import registry
from apps.tenancy.models import Tenant
from tests.fakes.llm import calls, says
from tests.isolation.surface import sources, tree

_PASSES = {
    "Thread", "Timer", "ThreadPoolExecutor", "ProcessPoolExecutor", "Process", "copy_context", "sync_to_async",
    "async_to_sync", "to_thread", "run_in_executor", "create_task", "ensure_future", "start_new_thread", "fork",
}  # fmt: skip
KEEPS, NONE = "keeps the tenant", "has no tenant"
# Every module that starts a thread or hands work to one: what its work finds there, and how.
STARTS = {
    "apps.agent.kernel.batch": (KEEPS, "each call runs in a copy of the turn's context"),
    "apps.agent.kernel.threads": (KEEPS, "runs what the batch hands over, context and all"),
    "apps.api.asynchronous": (NONE, "reads the key; the community is entered by the coroutine afterwards"),
    "apps.api.mcp.door": (NONE, "reads the key; the community is entered afterwards"),
    "apps.api.mcp.server": (KEEPS, "asgiref copies contexts"),
    "apps.api.v1.agent": (KEEPS, "asgiref copies contexts; the turn pool does"),
    "apps.channels.dev.views": (KEEPS, "the view hands over to the turn pool; asgiref copies contexts"),
    "apps.channels.turn_pool": (KEEPS, "each turn runs in a copy of its caller's context"),
    "apps.channels.web.views": (KEEPS, "asgiref copies contexts; the turn pool does"),
    "apps.foundation.addresses": (NONE, "asks for the address of a name"),
    "apps.integrations.rootint.registry": (KEEPS, "each fetch runs in a copy of the caller's context"),
    "apps.tenancy.jobs.inline": (NONE, "each job enters the tenant of its row"),
    "apps.tenancy.jobs.runs": (NONE, "beats for all running jobs"),
    "apps.tenancy.jobs.scheduler": (NONE, "puts in ticks, which belong to nobody"),
    "apps.tenancy.jobs.worker": (NONE, "ends the process"),
    "root_platform.parenthood": (NONE, "watches the parent process"),
    "root_platform.workers": (NONE, "forks worker processes before anything runs"),
    "root_platform.static_files": (NONE, "serves our own files"),
}


def test_every_start_of_a_thread_is_known() -> None:
    assert {module for module in sources() if _starts(module)} == STARTS.keys()


def _starts(module: str) -> bool:
    called = (node.func for node in ast.walk(tree(module)) if isinstance(node, ast.Call))
    return any(getattr(func, "id", getattr(func, "attr", "")) in _PASSES for func in called)


def test_the_turn_pool_keeps_the_tenant(tenant: Tenant, other_tenant: Tenant) -> None:
    pool = TurnPool(workers=2, waiting=40)
    order = [(tenant, other_tenant)[number % 2] for number in range(20)]
    futures = []
    for each in order:
        with tenant_context(each):
            futures.append(pool.submit(current_tenant))
    assert [future.result(30) for future in futures] == order
    # The same threads, without a tenant: nothing of the last one is left.
    with pytest.raises(NoTenant):
        pool.submit(current_tenant).result(30)


class Batch:
    """Five tools that say for whom they run; the third one raises, in the middle."""

    def __init__(self, llm: Any) -> None:
        self._together = threading.Barrier(5)
        llm.answer_with(
            lambda request, _headers: (
                says("Done.")
                if any(message["role"] == "tool" for message in request["messages"])
                else calls(*[(f"tool_{number}", {}) for number in range(5)])
            )
        )

    def tools(self) -> list[Tool]:
        return [self._tool(number) for number in range(5)]

    def _tool(self, number: int) -> Tool:
        def execute(_arguments: dict[str, Any], _use: ToolUse) -> dict[str, Any]:
            if number == 2:
                raise RuntimeError(f"raised for {current_tenant().slug}")
            return {"success": True, "data": {"slug": current_tenant().slug, "number": number}}

        name = f"tool_{number}"
        schema = {"type": "object", "properties": {}}
        return Tool(
            name=name, description=name, label=name, parameters=schema, execute=execute, mutates=False
        )


def run_for(each: Tenant, tools: list[Tool]) -> RunResult:
    with tenant_context(each):
        return run_agent(
            run_id=uuid.uuid4(),
            messages=[{"role": "user", "content": "Ask everybody."}],
            tools=tools,
            hooks=Hooks(after_batch=lambda _calls: HEARD.append(current_tenant().slug)),
            on_event=lambda _event: None,
            cancelled=lambda: False,
        )


HEARD: list[str] = []


def test_tools_that_run_beside_one_that_raises_keep_their_tenant(
    committed_db: None, tenant: Tenant, other_tenant: Tenant, llm: Any
) -> None:
    tools = Batch(llm).tools()
    HEARD.clear()
    order = [(tenant, other_tenant)[number % 2] for number in range(20)]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(_closing(lambda each: run_for(each, tools)), order))
    for each, result in zip(order, results, strict=True):
        said = [call.result["data"]["slug"] for call in result.calls if call.success]
        assert said == [each.slug] * 4
        assert [call.name for call in result.calls if not call.success] == ["tool_2"]
    assert sorted(HEARD) == sorted(each.slug for each in order)


def _closing(work: Callable[[Any], Any]) -> Callable[[Any], Any]:
    from django.db import connections

    def run(argument: Any) -> Any:
        try:
            return work(argument)
        finally:
            connections.close_all()

    return run


def test_a_bare_thread_has_no_tenant_and_reads_nothing(in_tenant: Tenant) -> None:
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(NoTenant):
            pool.submit(KnowledgePage.objects.count).result(30)
        # The same thread may be given the tenant, and does not keep it.
        assert pool.submit(copy_context().run, current_tenant_id).result(30) == in_tenant.pk
        with pytest.raises(NoTenant):
            pool.submit(current_tenant_id).result(30)


def test_a_job_runs_for_the_tenant_of_its_row_whoever_runs_it(
    monkeypatch: pytest.MonkeyPatch, tenant: Tenant, other_tenant: Tenant
) -> None:
    ran: list[tuple[object, object]] = []

    def note(job: jobs.Job) -> None:
        ran.append((job.tenant_id, current_tenant_id()))

    monkeypatch.setitem(registry._handlers, "notifications", registry.Handler(run=note))
    for each in (tenant, other_tenant):
        with tenant_context(each):
            jobs.enqueue("notifications", key="same", payload={})
    with tenant_context(tenant):
        jobs.run_due("notifications")
    assert {own for own, _ in ran} == {tenant.pk, other_tenant.pk}
    assert all(own == entered for own, entered in ran)


def test_a_tick_runs_for_nobody_even_inside_a_context(
    monkeypatch: pytest.MonkeyPatch, tenant: Tenant
) -> None:
    seen: list[str] = []

    def note(_job: jobs.Job) -> None:
        try:
            seen.append(current_tenant().slug)
        except NoTenant:
            seen.append("nobody")

    monkeypatch.setitem(registry._handlers, "embedding-audit", registry.Handler(run=note))
    jobs.enqueue_tick("embedding-audit")
    with tenant_context(tenant):
        jobs.run_due("embedding-audit")
    assert seen == ["nobody"]
