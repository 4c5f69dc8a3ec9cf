"""Asking the tenant's backend to deliver: a signed request, documents now or later (contract §7.1, §11.1)."""

from __future__ import annotations

import json

from apps.foundation.clock import now
from apps.foundation.environment import env
from apps.foundation.http import HttpReply
from apps.foundation.signing import signed_headers
from apps.knowledge.models import KnowledgeSource, KnowledgeSyncRun
from apps.knowledge.sync.calling import call
from apps.knowledge.sync.decoding import as_json, mode_of
from apps.knowledge.sync.documents import Fetched
from apps.knowledge.sync.failure import SyncFailure
from apps.knowledge.sync.fetchers import api_pull
from apps.knowledge.sync.mapping import holds_list
from apps.tenancy.context import current_tenant

EVENT = "knowledge.sync.requested"
PUSH_PATH = "/api/v1/kb/sync"
_LATER = frozenset({202, 204})


def fetch(source: KnowledgeSource, run: KnowledgeSyncRun) -> Fetched:
    """An answer that carries documents is read at once; any other success means that a push will follow."""
    secret = str(source.secrets.get("webhook_signing_secret") or "")
    if not secret.strip():
        raise SyncFailure("The source has no webhook_signing_secret, so its request cannot be signed.")
    body = json.dumps(_message(source, run), ensure_ascii=False, separators=(",", ":")).encode()
    reply = call(source, method="POST", headers=signed_headers(secret, body=body), body=body)
    if reply.status in _LATER or not _carries_documents(source, reply):
        return Fetched(http_status=reply.status, triggered=True)
    return api_pull.read(source, run, reply)


def _carries_documents(source: KnowledgeSource, reply: HttpReply) -> bool:
    """Backends also say "ok" or {"accepted": true}, which is no delivery, whatever type they give it."""
    if reply.body.lstrip()[:1] not in (b"{", b"[") or mode_of(reply, wanted="auto") != "json":
        return False
    return holds_list(as_json(reply), source.mapping)


def _message(source: KnowledgeSource, run: KnowledgeSyncRun) -> dict[str, object]:
    base = str(env().platform_base_url or "").rstrip("/")
    return {
        "event": EVENT,
        "run_id": str(run.pk),
        "tenant": current_tenant().slug,
        "source": {"id": str(source.pk), "key": source.source_key, "name": source.name},
        "callback": {"method": "POST", "url": f"{base}{PUSH_PATH}"},
        "requested_at": now().isoformat(),
    }
