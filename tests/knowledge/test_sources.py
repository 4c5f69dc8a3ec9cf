"""Sources: what may be stored, what is refused with a sentence, what is never shown (contract §2.5, §15.3)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apps.foundation.errors import BadInput, Conflict, NotFound
from apps.knowledge.models import KnowledgePage, KnowledgeSource, KnowledgeTrash
from apps.knowledge.pages import save_page
from apps.knowledge.source_views import source_view
from apps.knowledge.sources import (
    create_source,
    delete_source,
    find_source,
    pause_source,
    resume_source,
    source_with_key,
    update_source,
)
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.tenants import update_settings

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_tenant")]
PULL: dict[str, Any] = {"source_kind": "api_pull", "url": "https://ex.org/api"}


def made(key: str = "handbook", **fields: Any) -> KnowledgeSource:
    return create_source(**{"source_key": key, "name": "Handbook", **PULL, **fields})


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"source_key": "With Space"}, "source_key"),
    ({"source_key": ""}, "source_key"),
    ({"name": " "}, "name"),
    ({"source_kind": "ftp"}, "web_page"),
    ({"url": None}, "needs a url"),
    ({"url": "file:///etc/hosts"}, "http"),
    ({"url": "https://ana:secret@ex.org/"}, "user name"),
    ({"url": 7}, "web address"),
    ({"http_method": "DELETE"}, "GET, POST"),
    ({"source_kind": "web_page", "http_method": "POST"}, "http_method"),
    ({"request_body": {"a": 1}}, "POST"),
    ({"request_headers": {"Authorization": "Bearer x"}}, "credential"),
    ({"request_headers": {"Host": "evil"}}, "Root itself"),
    ({"request_headers": {"X-A": "a\r\nb: c"}}, "one line"),
    ({"request_headers": []}, "object"),
    ({"auth_type": "bearer"}, "secrets.token"),
    ({"auth_type": "basic", "secrets": {"password": "p"}}, "username"),
    ({"auth_type": "oauth"}, "bearer"),
    ({"secrets": {"api_key": "x"}}, "token, password"),
    ({"secrets": {"token": "a\nb"}}, "single line"),
    ({"mapping": {"documents": "$.a"}}, "documents_path"),
    ({"mapping": {"title_path": "$.["}}, "JSON path"),
    ({"mapping": {"title_path": "$..a..b..c"}}, "once at most"),
    ({"http_method": "POST", "request_body": {"a": "\ud800"}}, "characters"),
    ({"http_method": "POST", "request_body": ["\u0000"]}, "characters"),
    ({"http_method": "POST", "request_body": {"n": float("nan")}}, "plain JSON"),
    ({"schedule_interval_minutes": "hourly"}, "minutes"),
    ({"schedule_interval_minutes": True}, "minutes"),
    ({"replace_missing": "yes"}, "true or false"),
    ({"audience_tiers": "member"}, "tier names"),
    ({"audience_tiers": [""]}, "tier names"),
    ({"ai_cleanup_instructions": "x" * 5_000}, "4,000"),
    ({"source_kind": "webhook"}, "webhook_signing_secret"),
    ({"source_kind": "api_push"}, "neither url"),
    ({"source_kind": "api_push", "url": None, "schedule_interval_minutes": 60}, "schedule"),
    ({"colour": "blue"}, "no colour"),
]


@pytest.mark.parametrize(("fields", "said"), WRONG, ids=lambda value: json.dumps(value)[:50])
def test_refused_with_a_sentence(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        made(**fields)
    assert not KnowledgeSource.objects.exists()


@pytest.mark.parametrize(("given", "stored"), [(1, 5), (5, 5), (60, 60), (10**9, 43_200), (None, None)])
def test_intervals_are_clamped(given: int | None, stored: int | None) -> None:
    source = made(schedule_interval_minutes=given)
    assert (source.schedule_interval_minutes, source.next_sync_at is None) == (stored, stored is None)


def test_keys_are_unique_in_their_community_only(other_tenant: Tenant) -> None:
    made()
    with pytest.raises(Conflict, match="handbook"):
        made()
    with tenant_context(other_tenant):
        assert made().source_key == "handbook"


def test_no_more_sources_than_allowed(tenant: Tenant) -> None:
    with tenant_context(update_settings(tenant, {"limits": {"max_knowledge_sources": 1}})):
        made()
        with pytest.raises(Conflict, match="1 sources"):
            made("second")


def test_secrets_are_written_and_never_shown() -> None:
    source = made(auth_type="bearer", secrets={"token": "s3cret-token", "password": "p4ss"})
    shown = source_view(source)
    assert shown["secrets_set"] == ["token", "password"]
    assert "s3cret-token" not in json.dumps(shown) and "p4ss" not in json.dumps(shown)
    assert "s3cret" not in repr(source) + str(source)
    changed = update_source(source.pk, secrets={"password": None})
    assert changed.secrets == {"token": "s3cret-token"}
    with pytest.raises(BadInput, match=r"secrets\.token"):
        update_source(source.pk, secrets={"token": None})
    source.refresh_from_db()
    assert source.secrets == {"token": "s3cret-token"}


def test_updates_change_what_is_given() -> None:
    source = made(mapping={"title_path": "$.name"}, schedule_interval_minutes=60)
    changed = update_source(source.pk, name="New", schedule_interval_minutes=None)
    assert (changed.name, changed.mapping, changed.next_sync_at) == ("New", {"title_path": "$.name"}, None)
    for fixed in ({"source_key": "other"}, {"source_kind": "web_page"}):
        with pytest.raises(BadInput, match="cannot be changed"):
            update_source(source.pk, **fixed)


@pytest.mark.parametrize("wrong", ["", "not-a-uuid", "\u0000", None, "00000000-0000-4000-8000-000000000000"])
def test_ids_and_keys_that_name_nothing(wrong: Any) -> None:
    for act in (find_source, pause_source, resume_source, delete_source, source_with_key):
        with pytest.raises(NotFound):
            act(wrong)


def test_pausing_and_resuming_forgets_failures() -> None:
    source = made(schedule_interval_minutes=60)
    KnowledgeSource.objects.filter(pk=source.pk).update(
        status="error", consecutive_failures=5, last_error="x"
    )
    assert pause_source(source.pk).status == "paused"
    resumed = resume_source(source.pk)
    assert (resumed.status, resumed.consecutive_failures, resumed.last_error) == ("active", 0, "")


def test_deleting_takes_the_pages_into_the_trash(llm: Any) -> None:
    source = made()
    page = save_page(title="Gate", content_text="The gate is open from seven to ten each day.").page
    save_page(title="Other", content_text="A page that was written by hand stays here.")
    KnowledgePage.objects.filter(pk=page.pk).update(knowledge_source_id=source.pk, external_id="1")
    assert delete_source(source.pk, deleted_by="ana@ex.org") == 1
    assert list(KnowledgePage.objects.values_list("slug", flat=True)) == ["other"]
    kept = KnowledgeTrash.objects.get()
    assert (kept.slug, kept.deleted_by, kept.reason) == ("gate", "ana@ex.org", "source handbook deleted")
