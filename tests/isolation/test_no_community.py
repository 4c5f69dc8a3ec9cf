"""Without a tenant in context everything raises: managers, rows, services, tools."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from apps.agent import conversations, preferences, readers
from apps.agent.interventions import notifying
from apps.agent.interventions.opening import open_intervention
from apps.agent.models import InterventionCategory
from apps.agent.preferences import Wish
from apps.agent.prompts import store
from apps.agent.tools.core import CORE_TOOLS
from apps.agent.tools.declaration import ToolUse
from apps.agent.tools.external import backend_tool
from apps.agent.tools.person import TurnPerson
from apps.agent.turns import Caller, TurnRequest, run_turn
from apps.integrations import identity, registration
from apps.integrations.connect import connect
from apps.integrations.llm import chat, embeddings
from apps.integrations.person import ResolvedPerson
from apps.integrations.rootint import registry
from apps.integrations.rootint.client import invoke_tool
from apps.integrations.rootint.invocation import Invocation, InvocationPrincipal
from apps.integrations.rootint.manifest import Manifest, ManifestTool
from apps.integrations.rootint.registry import ActiveIntegration
from apps.knowledge import frequencies, indexing, links, pages, sources, sweep
from apps.knowledge.audience import Audience
from apps.knowledge.locks import lock_sources, lock_syncs
from apps.knowledge.member_entries import Entry, save_entry
from apps.knowledge.models import KnowledgePage
from apps.knowledge.page_addresses import page_named
from apps.knowledge.retrieval.lanes import corpus_size
from apps.knowledge.retrieval.neighbors import texts_at
from apps.knowledge.retrieval.pages import search_pages
from apps.knowledge.retrieval.scope import chunk_scope, tenant_scope
from apps.knowledge.sync import scheduler
from apps.knowledge.sync.requests import push_documents, request_sync
from apps.tenancy import (
    api_keys,
    assets,
    channels,
    credentials,
    dashboard_users,
    jobs,
    limits,
    principals,
    rosters,
    usage,
)  # fmt: skip
from apps.tenancy.context import NoTenant, tenant_context
from apps.tenancy.models import Principal, Tenant, TenantApiKey
from apps.tenancy.principals import PersonFacts
from apps.tenancy.scoping import TenantModel
from tests.isolation.cast import EMAIL, REF, SLACK
from tests.isolation.drivers.agent import ASKED
from tests.isolation.rows import a_row, tenant_models

Call = Callable[[], object]
NOBODY = Audience(tier=None, is_admin=True)
ID = uuid.uuid4()
PERSON = ResolvedPerson(
    principal=Principal(ref=REF, tier="member"),
    ref=REF,
    display_name="Ada",
    tier="member",
    access_level="member",
    slack_user_id=SLACK,
)
# What is asked for by an id that only a drive knows.
BY_ID = {
    "forget_user_preference": {"preference_id": str(ID)},
    "refresh_my_slack_contribution": {"contribution_id": str(ID)},
    "remove_my_slack_contribution": {"contribution_id": str(ID)},
    "update_my_extracted_knowledge_entry": {"slug": "x", "title": "x", "content": "x"},
    "delete_my_extracted_knowledge_entry": {"slug": "x"},
}
TOOL = ManifestTool(name="search_members", description="Finds people.", parameters={"type": "object"})
INVOCATION = Invocation(principal=InvocationPrincipal(ref=REF, tier="member"), channel="web")

MANAGER: dict[str, Callable[[Any], object]] = {
    "all": lambda model: list(model.objects.all()),
    "get": lambda model: model.objects.get(pk=ID),
    "in_bulk": lambda model: model.objects.in_bulk([ID]),
    "count": lambda model: model.objects.count(),
    "exists": lambda model: model.objects.exists(),
    "aggregate": lambda model: model.objects.values("tenant_id").count(),
    "iterator": lambda model: list(model.objects.iterator()),
    "create": lambda model: model.objects.create(),
    "get_or_create": lambda model: model.objects.get_or_create(pk=ID),
    "bulk_create": lambda model: model.objects.bulk_create([model()]),
    "update": lambda model: model.objects.filter(pk=ID).update(created_at=None),
    "delete": lambda model: model.objects.all().delete(),
    "raw": lambda model: list(model.objects.raw(f"SELECT * FROM {model._meta.db_table}")),
    "base manager": lambda model: list(model._base_manager.all()),
    "save": lambda model: model(pk=ID).save(),
    "delete a row": lambda model: model(pk=ID, tenant_id=ID).delete(),
    "refresh a row": lambda model: model(pk=ID, tenant_id=ID).refresh_from_db(),
}
SERVICES: dict[str, Call] = {
    "additions": store.additions,
    "stored_additions": store.stored_additions,
    "save_addition": lambda: store.save_addition("slack.footer", "x", saved_by="x"),
    "versions": lambda: store.versions("slack.footer"),
    "text_of": lambda: store.text_of("slack.footer"),
    "active_preferences": lambda: preferences.active_preferences(PERSON),
    "remember": lambda: preferences.remember(PERSON, Wish(instructions="x")),
    "forget": lambda: preferences.forget(PERSON, ID),
    "thread_history": lambda: conversations.thread_history("web:p-ada", member=REF),
    "record_inbound": lambda: conversations.record_inbound(_exchange(), text="x"),
    "record_outbound": lambda: conversations.record_outbound(_exchange(), text="x", metadata={}),
    "open_intervention": lambda: open_intervention(
        InterventionCategory.REQUEST, channel="web", title="x", details="x", metadata={}
    ),
    "deliver": lambda: notifying.deliver(_job()),
    "run_turn": lambda: run_turn(TurnRequest(message="x", channel="web", caller=Caller(email=EMAIL))),
    "resolve slack": lambda: identity.resolve(channel="slack", slack_user_id=SLACK),
    "resolve email": lambda: identity.resolve(channel="email", email=EMAIL),
    "resolve ref": lambda: identity.resolve(channel="api", ref=REF),
    "connect": lambda: connect("house", base_url="https://house.example", signing_secret="long-enough"),
    "register": lambda: registration.register(name="house", base_url="https://house.example"),
    "find": lambda: registration.find("house"),
    "list_integrations": registration.list_integrations,
    "rotate_secret": lambda: registration.rotate_secret("house"),
    "disable": lambda: registration.disable("house"),
    "set_overrides": lambda: registration.set_overrides("house", {}),
    "active_integrations": registry.active_integrations,
    "active_rows": registry.active_rows,
    "invoke_tool": lambda: invoke_tool(ID, TOOL, params={}, invocation=INVOCATION),
    "complete": lambda: chat.complete([{"role": "user", "content": "x"}], purpose="x"),
    "embed": lambda: embeddings.embed(["x"]),
    "save_page": lambda: pages.save_page(title="x", content_text="x"),
    "find_page": lambda: pages.find_page("x"),
    "read_page": lambda: pages.read_page("x", audience=NOBODY),
    "delete_page": lambda: pages.delete_page("x"),
    "restore_page": lambda: pages.restore_page(ID),
    "link_to": lambda: links.link_to(KnowledgePage(), principal=PERSON.principal),
    "open_link": lambda: links.open_link("x", token="x", browser="", audience_of=readers.audience_of),
    "read_bare": lambda: links.read_bare("x", browser="", audience_of=readers.audience_of),
    "page_named": lambda: page_named("x"),
    "audience_of": lambda: readers.audience_of(Principal(ref=REF, tier="member")),
    "save_entry": lambda: save_entry(PERSON, Entry(title="x", content="x")),
    "search_pages": lambda: search_pages("x", audience=NOBODY),
    "corpus_size": corpus_size,
    "tenant_scope": tenant_scope,
    "chunk_scope": lambda: chunk_scope(NOBODY),
    "texts_at": lambda: texts_at([(ID, 0)], besides=[], chars=9),
    "embed_pending": indexing.embed_pending,
    "is_waiting": indexing.is_waiting,
    "frequencies.refresh": frequencies.refresh,
    "frequencies.is_due": frequencies.is_due,
    "sweep": sweep.sweep,
    "has_work": sweep.has_work,
    "lock_sources": lock_sources,
    "lock_syncs": lock_syncs,
    "create_source": lambda: sources.create_source(source_key="x", name="x", source_kind="api_push"),
    "find_source": lambda: sources.find_source(ID),
    "list_sources": lambda: list(sources.list_sources()),
    "delete_source": lambda: sources.delete_source(ID),
    "push_documents": lambda: push_documents("x", []),
    "request_sync": lambda: request_sync(ID),
    "enqueue_due": scheduler.enqueue_due,
    "logo": assets.logo,
    "remove_logo": assets.remove_logo,
    "active_channel": lambda: channels.active_channel("web"),
    "open_web_channel": channels.open_web_channel,
    "credential": lambda: credentials.credential("slack.bot"),
    "store_credential": lambda: credentials.store_credential("slack.bot", value="x"),
    "forget_credential": lambda: credentials.forget_credential("slack.bot"),
    "role_of": lambda: dashboard_users.role_of(EMAIL),
    "list_users": dashboard_users.list_users,
    "invite": lambda: dashboard_users.invite(EMAIL, role="owner", by="platform"),
    "change_role": lambda: dashboard_users.change_role(EMAIL, role="owner", by="platform"),
    "remove": lambda: dashboard_users.remove(EMAIL, by="platform"),
    "limits": limits.limits,
    "revoke_key": lambda: api_keys.revoke_key(TenantApiKey(pk=ID, tenant_id=ID)),
    "by_ref": lambda: principals.by_ref(REF),
    "by_email": lambda: principals.by_email(EMAIL),
    "by_slack": lambda: principals.by_slack(SLACK),
    "upsert": lambda: principals.upsert(PersonFacts(ref=REF, tier="member")),
    "enrol": lambda: rosters.enrol([PersonFacts(ref=REF, tier="member")], may_change=lambda _row: True),
    "record_llm_usage": lambda: usage.record_llm_usage(
        purpose="x", model="x", prompt_tokens=1, completion_tokens=1, total_tokens=2, cost_usd=0.0
    ),
    "record_integration_call": lambda: usage.record_integration_call(
        integration_name="x", tool_name="x", invocation_id=ID, duration_ms=1, success=True
    ),
    "enqueue": lambda: jobs.enqueue("embedding-audit", payload={}, delay=timedelta(days=1)),
}


@pytest.mark.parametrize("way", MANAGER)
@pytest.mark.parametrize("model", tenant_models(), ids=lambda model: model._meta.db_table)
def test_a_table_shows_and_takes_nothing(db: None, model: type[TenantModel], way: str) -> None:
    with pytest.raises(NoTenant):
        MANAGER[way](model)


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_refuses(db: None, llm: Any, name: str) -> None:
    with pytest.raises(NoTenant):
        SERVICES[name]()
    # Not even the model was asked: it could not have been charged to anybody.
    assert llm.requests == []


@pytest.mark.parametrize("name", CORE_TOOLS)
def test_a_tool_of_the_core_refuses(db: None, llm: Any, name: str) -> None:
    tool = CORE_TOOLS[name](_asker())
    assert tool is not None
    arguments = ASKED[name] or BY_ID.get(name, {})
    with pytest.raises(NoTenant):
        tool.execute(arguments, _use())
    assert llm.requests == []


def test_a_tool_of_a_backend_refuses(db: None) -> None:
    house = ActiveIntegration(id=ID, name="house", manifest=Manifest(protocol="root-int/1"))
    with pytest.raises(NoTenant):
        backend_tool(house, TOOL, asker=_asker()).execute({}, _use())


def test_a_row_read_before_cannot_follow_its_keys_afterwards(tenant: Tenant) -> None:
    from apps.knowledge.models import KnowledgeChunk

    with tenant_context(tenant):
        row = a_row(KnowledgeChunk, "x")
        row = KnowledgeChunk.objects.get(pk=row.pk)
    with pytest.raises(NoTenant):
        _ = row.knowledge_page
    with pytest.raises(NoTenant):
        list(type(row).knowledge_page.field.remote_field.model(pk=row.knowledge_page_id).chunks.all())


def _asker() -> TurnPerson:
    return TurnPerson(
        person=PERSON,
        tier="member",
        is_admin=False,
        # Where every tool is on offer.
        channel="slack",
        slack_channel_id="D1",
        audience=Audience(tier="member"),
        message="x",
    )


def _use() -> ToolUse:
    return ToolUse(invocation_id=uuid.uuid4(), report_progress=lambda _said: None)


def _exchange() -> conversations.Exchange:
    return conversations.Exchange(
        key="x", channel="web", thread_key="web:p-ada", member_id=REF, principal=None
    )


def _job() -> jobs.Job:
    from apps.foundation import queues

    return jobs.Job(
        id=ID,
        queue=queues.queue("notifications"),
        key="x",
        tenant_id=ID,
        payload={"sink": "integration", "intervention_id": str(ID)},
        checkpoint=None,
        attempt=1,
        fence=1,
        tick=False,
        asked=1,
    )
