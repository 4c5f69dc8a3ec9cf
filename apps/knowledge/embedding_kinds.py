"""What gets vectors, and from which of its words: chunks, Slack messages, thread artifacts (contract §11.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from django.db.models import Q

from apps.knowledge.models import KnowledgeChunk, ProcessedSlackMessage, SlackThreadArtifact
from apps.tenancy.scoping import TenantModel

KindName = Literal["chunks", "slack_messages", "slack_artifacts"]
KIND_NAMES: tuple[KindName, ...] = get_args(KindName)


@dataclass(frozen=True, kw_only=True)
class EmbeddedKind:
    """A table of rows with vectors. ``text`` reads only the ``fields``; rows outside ``wanted`` need no vector."""

    name: KindName
    model: type[TenantModel]
    fields: tuple[str, ...]
    text: Callable[[Any], str]
    order: tuple[str, ...]
    batch: int = 100
    wanted: Q = field(default_factory=Q)


def chunk_text(chunk: KnowledgeChunk) -> str:
    """A chunk under its page's title."""
    return f"{chunk.metadata.get('title') or ''}\n\n{chunk.chunk_text}"


def message_text(message: ProcessedSlackMessage) -> str:
    """A message alone: in a short one the names of channel and author would drown what it says."""
    return message.message_text


def artifact_text(artifact: SlackThreadArtifact) -> str:
    """The distilled document."""
    return artifact.document_text


CHUNKS = EmbeddedKind(
    name="chunks",
    model=KnowledgeChunk,
    fields=("chunk_text", "metadata"),
    text=chunk_text,
    order=("knowledge_page_id", "chunk_index"),
)
MESSAGES = EmbeddedKind(
    name="slack_messages",
    model=ProcessedSlackMessage,
    fields=("message_text",),
    text=message_text,
    order=("-message_date", "pk"),
    wanted=Q(withdrawn_at__isnull=True),
)
ARTIFACTS = EmbeddedKind(
    name="slack_artifacts",
    model=SlackThreadArtifact,
    fields=("document_text",),
    text=artifact_text,
    order=("pk",),
    batch=20,
)
KINDS = (CHUNKS, MESSAGES, ARTIFACTS)


def kind_of(name: KindName) -> EmbeddedKind:
    """The kind with this name."""
    return next(kind for kind in KINDS if kind.name == name)
