"""Everything a process keeps between requests: what its keys hold of the community, or why that is not needed."""

from __future__ import annotations

import ast

import pytest

from apps.foundation.ttl_cache import TtlCache
from tests.isolation import memory
from tests.isolation.drive import Drive
from tests.isolation.surface import sources, tree

_CONTENT = "keyed by everything the result is made of, so that two who share it would have made the same"
_OWN_WORDS = "our own words, read from files; nothing of a community enters"
_PROCESS = "one of the process"
CACHES = {
    "apps.agent.kernel.schema:_bounded": _CONTENT,
    "apps.agent.kernel.schema:_compiled": _CONTENT,
    "apps.agent.playbook.texts:_short_names": _OWN_WORDS,
    "apps.agent.prompts.guidance:built_in_lines": _OWN_WORDS,
    "apps.agent.prompts.registry:prompts": _OWN_WORDS,
    "apps.agent.prompts.store:_cached": "the tenant's id is the key",
    "apps.agent.prompts.wording:built_in_wording": _OWN_WORDS,
    "apps.api.v1.documents:_document": "the platform's own document",
    "apps.api.v1.documents:_readable": "the platform's own document",
    "apps.channels.turn_pool:turn_pool": "a pool; work runs in the context of whoever hands it in",
    "apps.foundation.broker:_client": "by address of the queue server, which carries names of queues only",
    "apps.foundation.http:_pool": "connections by origin; they keep neither cookies nor credentials",
    "apps.foundation.pace:process_pace": _PROCESS,
    "apps.integrations.llm.structured:_words_only": "by model: what a model can do",
    "apps.integrations.slack.client:_clients": "the tenant's id and the address of Slack",
    "apps.integrations.slack.directory:_channels": "the tenant's id and the channel's",
    "apps.integrations.slack.directory:_users": "the tenant's id and the person's",
    "apps.integrations.slack.directory:_workspaces": "the tenant's id is the key",
    "apps.integrations.rootint.registry:_cache": "the integration's row id, which belongs to one tenant, and address",
    "apps.knowledge.retrieval.lanes:_sizes": "the tenant's id and the table",
    "apps.knowledge.slack_index.lookup:_asked_parents": "the tenant's id, the channel and the thread",
    "apps.knowledge.sweep:_current": "by address of the embedder: which embedder answers there",
    "apps.knowledge.sync.mapping:_compiled": _CONTENT,
    "apps.tenancy.platform_settings:_cached": "the platform's own settings",
    "apps.tenancy.row_cache:_by_id": "the tenant's id is the key",
    "apps.tenancy.row_cache:_by_slug": "a slug is unique among all tenants, shadows too",
}
# Containers whose content changes while a process runs. All others are constants, which the drive verifies.
CHANGING = {
    "apps.agent.hooks:AFTER_BATCH": "functions registered at start; each runs in the turn's context",
    "apps.agent.interventions.notifying:NOTIFIERS": "functions registered at start",
    "apps.agent.interventions.sinks:SINKS": "functions registered at start",
    "apps.channels.web.listener:_listening": "the tenant's id and the id of the turn",
    "apps.foundation.ttl_cache:_every_cache": "the caches themselves",
    "apps.integrations.llm.client:_clients": "by process, address and key of the platform's model provider",
    "apps.integrations.llm.trace_content:VIEWS": "functions registered at start",
    "apps.tenancy.jobs.alerts:ALERTED": "functions registered at start",
    "apps.tenancy.jobs.registry:_handlers": "functions registered at start",
    "apps.tenancy.jobs.retention:ALSO_SWEPT": "functions registered at start",
}
REBOUND = {
    "apps.tenancy.jobs.carrier:_quiet_until": "a time: until when a queue server that is down is left alone",
    "apps.tenancy.row_cache:_changes": "a number: how often rows changed",
}
OBJECTS = {
    "apps.agent.kernel.threads:THREADS": "idle threads; each job brings its own copied context",
    "apps.dashboard.ops.admin.site:site": "the operators' admin, the same for all",
    "apps.integrations.llm.opik_exporter:started": "the tracer's client, of the platform's own account",
    "apps.integrations.rootint.registry:_flights": "the same key as the cache of manifests",
    "apps.tenancy.jobs.claim:turns": "which tenant was served last by queue: an id, no data",
    "apps.tenancy.jobs.inline:pool": _PROCESS,
    "apps.tenancy.jobs.runs:runs": "the claimed rows of this process; each enters its own tenant",
    "root_platform.asgi:application": _PROCESS,
}


def test_every_cache_says_how_it_keeps_communities_apart() -> None:
    assert memory.caches().keys() == CACHES.keys()


def test_no_cache_is_made_where_nobody_would_find_it() -> None:
    """A cache inside a function or an object would be missed by the list above."""
    made = sum(
        isinstance(node, ast.Call)
        and getattr(node.func, "id", getattr(node.func, "attr", "")) == TtlCache.__name__
        for module in sources()
        for node in ast.walk(tree(module))
    )
    listed = [name for name, value in memory.caches().items() if isinstance(value, TtlCache)]
    assert made == len(listed)


@pytest.mark.parametrize("module", sources())
def test_no_method_remembers_results_for_all_its_objects(module: str) -> None:
    """``lru_cache`` on a method, or on a function within one, is shared by everybody and hard to see."""
    inner = [node for part in tree(module).body if isinstance(part, ast.ClassDef) for node in part.body]
    hidden = [
        node.name
        for node in inner
        if isinstance(node, ast.FunctionDef)
        if {ast.unparse(decorator).split("(")[0] for decorator in node.decorator_list}
        & {"cache", "lru_cache", "functools.cache", "functools.lru_cache"}
    ]
    assert hidden == []


def test_every_container_that_changes_is_known(driven: Drive) -> None:
    changed = {name for name, before in driven.before.items() if driven.after[name] != before}
    assert changed <= CHANGING.keys()
    assert CHANGING.keys() <= memory.containers().keys()


def test_every_object_with_a_state_is_known() -> None:
    assert memory.objects().keys() == OBJECTS.keys()


def test_no_module_rebinds_what_it_keeps_without_a_reason() -> None:
    """``global`` is how a module keeps something outside any container."""
    found = {
        f"{module}:{name}"
        for module in sources()
        for node in ast.walk(tree(module))
        if isinstance(node, ast.Global)
        for name in node.names
    }
    assert found == REBOUND.keys()
