"""Documents from the tenant's own API, as JSON, a page or plain text (contract §11.1)."""

from __future__ import annotations

import json

from apps.foundation.http import HttpReply
from apps.knowledge.models import KnowledgePage, KnowledgeSource, KnowledgeSyncRun
from apps.knowledge.sync import decoding
from apps.knowledge.sync.calling import call
from apps.knowledge.sync.documents import Fetched
from apps.knowledge.sync.failure import SyncFailure
from apps.knowledge.sync.fetchers.web_page import one_article
from apps.knowledge.sync.mapping import documents_in
from apps.knowledge.sync.normalize import MAX_DOCUMENTS, normalized

_JSON = {"accept": "application/json, */*;q=0.5"}


def fetch(source: KnowledgeSource, run: KnowledgeSyncRun) -> Fetched:
    """What the address answers now."""
    body = None
    headers = (
        {"accept": source.request_headers["accept"]} if "accept" in source.request_headers else dict(_JSON)
    )
    if source.http_method == "POST":
        body = (
            json.dumps(source.request_body, ensure_ascii=False).encode()
            if source.request_body is not None
            else b""
        )
        headers.setdefault("content-type", source.request_headers.get("content-type", "application/json"))
    reply = call(source, method=source.http_method, headers=headers, body=body)
    try:
        return read(source, run, reply)
    except SyncFailure as failure:
        failure.http_status = failure.http_status or reply.status
        raise


def read(source: KnowledgeSource, run: KnowledgeSyncRun, reply: HttpReply) -> Fetched:
    """The documents of an answer, by the source's response mode and mapping."""
    if not reply.body.strip():
        raise SyncFailure("The source answered with nothing.")
    decoding.refuse_unreadable(reply)
    mode = decoding.mode_of(reply, wanted=source.response_mode)
    if mode != "json":
        _refuse_other_form(source)
        return one_article(source, run, reply, wanted=mode)
    given = documents_in(decoding.as_json(reply), source.mapping)
    if len(given) > MAX_DOCUMENTS:
        raise SyncFailure(
            f"The source answered with {len(given):,} documents; a sync takes {MAX_DOCUMENTS} at most."
            " Nothing was changed. Split it into several sources, or push the documents in parts."
        )
    documents, problems = normalized(given)
    return Fetched(documents=documents, problems=problems, received=len(given), http_status=reply.status)


def _refuse_other_form(source: KnowledgeSource) -> None:
    """An API that is down for maintenance answers with a page; it must not count as the only document there is."""
    if source.response_mode != "auto":
        return
    own = KnowledgePage.objects.filter(knowledge_source_id=source.pk, external_id__isnull=False)
    if source.mapping or own.exclude(external_id=source.url or "").exists():
        raise SyncFailure(
            "The source answered with a page or plain text where its documents come as JSON. If that is meant, set its"
            " response_mode to html or text."
        )
