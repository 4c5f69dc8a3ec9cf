"""Ids of one community under another, or under its shadow, are ids that do not exist; nothing changes where they do
(RET-06)."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.test import RequestFactory

from apps.agent import (
    conversation_analytics,
    conversation_lists,
    conversations,
    memory,
    mentions,
    preferences,
)
from apps.agent.conversation_lists import Wanted
from apps.agent.interventions import integration_sink, notifying, programs
from apps.agent.kernel.hooks import Proceed
from apps.agent.kernel.types import KernelTool, PlannedCall
from apps.agent.models import AgentToolCall, ConversationLog, HumanIntervention, MemberPreference
from apps.agent.readers import audience_of
from apps.agent.record.journal import Journal
from apps.agent.record.redaction import digest
from apps.channels.web import admission, listener
from apps.foundation import queues
from apps.foundation.errors import NotFound, Unauthorized
from apps.integrations import identity, registration
from apps.integrations.connect import look_again
from apps.integrations.models import Integration
from apps.integrations.rootint.client import invoke_tool
from apps.integrations.rootint.invocation import Invocation, InvocationPrincipal
from apps.integrations.rootint.manifest import ManifestTool
from apps.knowledge import links, pages, sources
from apps.knowledge.audience import Audience
from apps.knowledge.member_entries import Entry, save_entry
from apps.knowledge.models import KnowledgePage, KnowledgeSource, KnowledgeSyncRun, KnowledgeTrash
from apps.knowledge.page_addresses import page_named
from apps.knowledge.retrieval.pages import search_pages
from apps.knowledge.sync import perform
from apps.knowledge.sync.requests import push_documents, request_sync
from apps.tenancy import api_keys, assets, channels, credentials, dashboard_users, jobs, principals
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Principal, QueueJob, Tenant, TenantApiKey, TenantUser
from apps.tenancy.principals import PersonFacts
from apps.tenancy.scoping import TenantModel, WrongTenant
from apps.tenancy.tenants import shadow_of
from tests.fakes.backend import FakeBackend
from tests.isolation.cast import REF
from tests.isolation.rows import a_row, tenant_models
from tests.isolation.surface import sources as source_texts
from tests.isolation.theirs import KNOWN, SECRET, Theirs, everything_of, theirs_of

EVERYTHING = Audience(tier=None, is_admin=True)
TURN_ID = "turn-of-theirs"


@pytest.fixture
def theirs(tenant: Tenant, llm: Any) -> Iterator[Theirs]:
    with FakeBackend() as backend:
        with tenant_context(tenant):
            made = theirs_of(tenant, backend)
        yield made


@pytest.fixture(params=["another community", "its own shadow"])
def here(request: pytest.FixtureRequest, theirs: Theirs) -> Iterator[Tenant]:
    """Whose context it is; the same person is known here as well."""
    own_shadow = request.param == "its own shadow"
    other: Tenant = shadow_of(theirs.tenant) if own_shadow else request.getfixturevalue("other_tenant")
    with tenant_context(other):
        principals.upsert(KNOWN)
        yield other


@pytest.fixture(autouse=True)
def _nothing_changes_there(theirs: Theirs) -> Iterator[None]:
    before = everything_of(theirs.tenant)
    assert any(SECRET in row for row in before)
    yield
    assert everything_of(theirs.tenant) == before
    assert theirs.backend.requests == []


@pytest.mark.parametrize("model", tenant_models(), ids=lambda model: model._meta.db_table)
def test_a_row_of_theirs_does_not_exist_here(theirs: Theirs, here: Tenant, model: type[TenantModel]) -> None:
    row = theirs.rows[model]
    rows = model.objects.filter(pk=row.pk)
    assert not rows.exists() and not model.objects.in_bulk([row.pk])
    assert rows.update(created_at=row.created_at) == 0 and rows.delete()[0] == 0
    with pytest.raises(model.DoesNotExist):
        row.refresh_from_db()
    acts: tuple[Callable[[], object], ...] = (
        row.save,
        row.delete,
        model(id=row.pk).delete,
        lambda: model.objects.bulk_create([row]),
        lambda: model.objects.bulk_update([row], ["created_at"]),
    )
    for act in acts:
        with pytest.raises(WrongTenant):
            act()


@pytest.mark.parametrize("model", tenant_models(), ids=lambda model: model._meta.db_table)
def test_an_id_of_theirs_is_taken_and_cannot_be_written_over(
    theirs: Theirs, here: Tenant, model: type[TenantModel]
) -> None:
    columns = [f.attname for f in model._meta.concrete_fields if f.name != "tenant" and not f.generated]
    copy = model(**{name: getattr(theirs.rows[model], name) for name in columns})
    with pytest.raises(IntegrityError), transaction.atomic():
        copy.save()


NOT_FOUND: dict[str, Callable[[Theirs], object]] = {
    "read_page": lambda their: pages.read_page(their.slug, audience=EVERYTHING),
    "delete_page": lambda their: pages.delete_page(their.slug),
    "read_bare": lambda their: links.read_bare(
        their.row(KnowledgePage).public_id, browser="x", audience_of=audience_of
    ),
    "open_link": lambda their: links.open_link(
        their.row(KnowledgePage).public_id, token="x", browser="x", audience_of=audience_of
    ),
    "save_entry": lambda their: save_entry(
        their.person, Entry(title="x", content="x", update_slug=their.slug)
    ),
    "restore_page": lambda their: pages.restore_page(their.id_of(KnowledgeTrash)),
    "find_source": lambda their: sources.find_source(their.id_of(KnowledgeSource)),
    "update_source": lambda their: sources.update_source(their.id_of(KnowledgeSource), name="taken"),
    "pause_source": lambda their: sources.pause_source(their.id_of(KnowledgeSource)),
    "resume_source": lambda their: sources.resume_source(their.id_of(KnowledgeSource)),
    "delete_source": lambda their: sources.delete_source(their.id_of(KnowledgeSource)),
    "runs_of": lambda their: sources.runs_of(their.id_of(KnowledgeSource)),
    "request_sync": lambda their: request_sync(their.id_of(KnowledgeSource)),
    "push_documents": lambda their: push_documents(their.row(KnowledgeSource).source_key, []),
    "forget": lambda their: preferences.forget(their.person, their.id_of(MemberPreference)),
    "deactivate": lambda their: preferences.deactivate(their.id_of(MemberPreference)),
    "look_again": lambda _their: look_again("house"),
    "find": lambda _their: registration.find("house"),
    "rotate_secret": lambda _their: registration.rotate_secret("house"),
    "disable": lambda _their: registration.disable("house"),
    "set_endpoint_paths": lambda _their: registration.set_endpoint_paths("house", {}),
    "set_overrides": lambda _their: registration.set_overrides("house", {}),
}
NOTHING: dict[str, Callable[[Theirs], object]] = {
    "find_page": lambda their: pages.find_page(their.slug),
    "page_named": lambda their: page_named(their.row(KnowledgePage).public_id),
    "search_pages": lambda _their: search_pages(SECRET, audience=EVERYTHING).passages,
    "active_preferences": lambda their: preferences.active_preferences(their.person),
    "thread_history": lambda their: conversations.thread_history(
        their.row(ConversationLog).thread_key, member=their.row(ConversationLog).member_id
    ),
    "messages": lambda _their: conversation_lists.messages(Wanted(), after=None, limit=9).rows,
    "analytics": lambda _their: conversation_analytics.analytics(group_by="day").totals.messages,
    "leaderboard": lambda _their: mentions.leaderboard(tier="all", limit=9),
    "counts": lambda _their: mentions.counts(ref=REF).total,
    "details": lambda _their: list(mentions.details(ref=REF)),
    "matters": lambda _their: list(programs.matters()),
    "state_of": lambda _their: memory.state_of(ref=REF).wishes,
    "clear": lambda _their: preferences.clear(principals.chosen(ref=REF)),
    "list_sources": lambda _their: list(sources.list_sources()),
    "list_integrations": lambda _their: registration.list_integrations(),
    "credential": lambda _their: credentials.credential("slack.bot"),
    "forget_credential": lambda _their: credentials.forget_credential("slack.bot"),
    "active_channel": lambda _their: channels.active_channel("web"),
    "logo": lambda _their: assets.logo(),
    "remove_logo": lambda _their: assets.remove_logo(),
}


@pytest.mark.parametrize("name", NOT_FOUND)
def test_a_service_finds_nothing(theirs: Theirs, here: Tenant, name: str) -> None:
    with pytest.raises(NotFound):
        NOT_FOUND[name](theirs)


@pytest.mark.parametrize("name", NOTHING)
def test_a_service_gives_nothing(theirs: Theirs, here: Tenant, name: str) -> None:
    assert not NOTHING[name](theirs)


def test_a_turn_of_theirs_is_not_stopped_from_here(theirs: Theirs, here: Tenant) -> None:
    hears = listener.listen(theirs.tenant.pk, TURN_ID)
    assert not listener.cancel(here.pk, TURN_ID)
    assert not hears.cancelled()


def test_a_backend_of_theirs_is_not_called(theirs: Theirs, here: Tenant) -> None:
    tool = ManifestTool(name="search_members", description="Finds people.", parameters={"type": "object"})
    invocation = Invocation(principal=InvocationPrincipal(ref=REF, tier="member"), channel="web")
    outcome = invoke_tool(theirs.id_of(Integration), tool, params={}, invocation=invocation)
    assert (outcome.success, outcome.attempts) == (False, 0)


def test_a_matter_of_theirs_is_not_told_from_here(theirs: Theirs, here: Tenant) -> None:
    matter, house = str(theirs.id_of(HumanIntervention)), str(theirs.id_of(Integration))
    payload = {
        "sink": "integration",
        "label": "x",
        "intervention_id": matter,
        "target": {"integration_id": house},
    }
    with pytest.raises(jobs.GiveUp):
        notifying.deliver(_job(here, payload))
    notifying.gave_up(_job(here, payload), "lost")
    own: Any = a_row(HumanIntervention, "own")
    with pytest.raises(jobs.GiveUp):
        integration_sink.deliver(own, {"integration_id": house})


def test_a_run_of_theirs_is_not_failed_from_here(theirs: Theirs, here: Tenant) -> None:
    perform.gave_up(_job(here, {"run_id": str(theirs.id_of(KnowledgeSyncRun))}), "lost")


def test_an_action_of_theirs_is_not_replayed_here(theirs: Theirs, here: Tenant) -> None:
    """The same run id and the very same call, as if a turn were run again under another community."""
    call = _planned(theirs.row(AgentToolCall))
    with tenant_context(theirs.tenant), transaction.atomic():
        _done(theirs, call)
        # Where it was done it is answered from the journal, so the question is a fair one.
        assert not isinstance(Journal(theirs.row(AgentToolCall).run_id, rerun=True).decide(call), Proceed)
        transaction.set_rollback(True)
    with tenant_context(theirs.tenant):
        kept = AgentToolCall.objects.filter(pk=theirs.id_of(AgentToolCall))
        before = kept.values().get()
        _done(theirs, call)
    assert isinstance(Journal(theirs.row(AgentToolCall).run_id, rerun=True).decide(call), Proceed)
    with tenant_context(theirs.tenant):
        kept.update(
            **{
                name: before[name]
                for name in ("name", "state", "success", "arguments_digest", "invocation_id")
            }
        )


def _planned(row: AgentToolCall) -> PlannedCall:
    tool = KernelTool(
        name="book_room", description="", parameters={}, mutates=True, label="", execute=lambda _a, _c: {}
    )
    return PlannedCall(
        id="c",
        name="book_room",
        arguments={"room": "2"},
        round=1,
        tool=tool,
        invocation_id=uuid.uuid5(row.run_id, "1"),
    )


def _done(theirs: Theirs, call: PlannedCall) -> None:
    AgentToolCall.objects.filter(pk=theirs.id_of(AgentToolCall)).update(
        name=call.name,
        state="done",
        success=True,
        arguments_digest=digest(call.arguments),
        invocation_id=call.invocation_id,
    )


def test_a_key_of_theirs_is_not_revoked_from_here(theirs: Theirs, here: Tenant) -> None:
    with pytest.raises(WrongTenant):
        api_keys.revoke_key(theirs.row(TenantApiKey))


def test_a_person_of_theirs_is_nobody_here(theirs: Theirs, here: Tenant) -> None:
    facts = PersonFacts(ref="p-only", tier="member", email="only@shared.example", slack_user_id="U0ONLY")
    with tenant_context(theirs.tenant):
        principals.upsert(facts)
    assert principals.by_ref("p-only") is None
    assert principals.by_email("only@shared.example") is None
    assert principals.by_slack("U0ONLY") is None
    with pytest.raises(NotFound):
        principals.chosen(ref="p-only")
    assert identity.resolve(channel="api", ref="p-only").principal is None
    with tenant_context(theirs.tenant):
        Principal.objects.get(ref="p-only").delete()


def test_users_of_theirs_have_no_role_in_another_community(theirs: Theirs, other_tenant: Tenant) -> None:
    with tenant_context(theirs.tenant):
        dashboard_users.invite("owner@shared.example", role="owner", by="platform")
    with tenant_context(other_tenant):
        assert dashboard_users.role_of("owner@shared.example") is None
        with pytest.raises(NotFound):
            dashboard_users.remove("owner@shared.example", by="platform")
        with pytest.raises(NotFound):
            dashboard_users.change_role("owner@shared.example", role="viewer", by="platform")
    with tenant_context(theirs.tenant):
        assert dashboard_users.role_of("owner@shared.example") == "owner"
        TenantUser.objects.get(email="owner@shared.example").delete()


def test_one_key_in_a_queue_is_a_job_of_each(theirs: Theirs, here: Tenant) -> None:
    own = jobs.enqueue("embedding-audit", key="same", payload={})
    with tenant_context(theirs.tenant):
        their = jobs.enqueue("embedding-audit", key="same", payload={"of": "them"}, debounce=True)
    assert own != their
    kept = QueueJob.objects.get(pk=own)
    assert (kept.payload, kept.tenant_id) == ({}, here.pk)


def test_a_token_and_a_cookie_of_theirs_open_no_other_chat(theirs: Theirs, here: Tenant) -> None:
    channels.open_web_channel()
    own, other = admission.open_channel(here.slug), admission.open_channel(theirs.tenant.slug)
    with pytest.raises(Unauthorized):
        admission.admit(RequestFactory().get("/", {"token": theirs.token}), own)
    request, response = RequestFactory().get("/"), HttpResponse()
    admission.set_cookie(response, other, request=request)
    request.COOKIES[admission.COOKIE] = response.cookies[admission.COOKIE].value
    assert admission.admit(request, other) == "cookie"
    with pytest.raises(Unauthorized):
        admission.admit(request, own)


def test_who_writes_over_a_conflict_names_the_tenant_in_it() -> None:
    """``update_conflicts`` by id alone would write into whichever row has that id."""
    found = {
        module: re.findall(r"unique_fields=\[([^\]]*)\]", text)
        for module, text in source_texts().items()
        if "update_conflicts=True" in text
    }
    assert found.keys() == {"apps.agent.record.calls", "apps.agent.record.run", "apps.tenancy.rosters"}
    assert all(fields and all('"tenant"' in each for each in fields) for fields in found.values())


def _job(here: Tenant, payload: dict[str, Any]) -> jobs.Job:
    return jobs.Job(
        id=uuid.uuid4(),
        queue=queues.queue("notifications"),
        key="x",
        tenant_id=here.pk,
        payload=payload,
        checkpoint=None,
        attempt=1,
        fence=1,
        tick=False,
        asked=1,
    )
