"""Pages: what a community knows, one row a document (contract §2.5)."""

# ruff: noqa: DJ001 - in these columns NULL means unknown, which the empty string would hide.

from __future__ import annotations

import secrets

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from apps.tenancy.scoping import TenantModel

PUBLIC_ID_BYTES = 12


def new_public_id() -> str:
    """16 characters that are safe in an address and cannot be guessed."""
    return secrets.token_urlsafe(PUBLIC_ID_BYTES)


class KnowledgePage(TenantModel):
    """One page. ``content_html`` has been sanitised, ``content_text`` is derived from it."""

    slug = models.TextField()
    title = models.TextField()
    source_url = models.TextField(null=True)
    content_html = models.TextField()
    content_text = models.TextField(default="")
    author_name = models.TextField(null=True)
    author_member_id = models.TextField(null=True)
    knowledge_date = models.DateField(null=True)
    source_type = models.TextField(default="manual")
    source_message_text = models.TextField(null=True)
    public_id = models.CharField(max_length=16, default=new_public_id, editable=False)
    is_public = models.BooleanField(default=False)
    # NULL: everybody whom the tier rules let search at all. A list: these tiers and admins.
    audience_tiers = ArrayField(models.TextField(), null=True)
    refresh_frequency = models.TextField(null=True)
    extracted_knowledge_id = models.UUIDField(null=True)
    knowledge_source_id = models.UUIDField(null=True)
    external_id = models.TextField(null=True)
    content_hash = models.TextField(null=True)
    raw_content_hash = models.TextField(null=True)
    last_synced_at = models.DateTimeField(null=True)
    fetched_at = models.DateTimeField(null=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta(TenantModel.Meta):
        db_table = "knowledge_pages"
        constraints = [
            models.UniqueConstraint(name="knowledge_pages_slug", fields=["tenant", "slug"]),
            models.UniqueConstraint(name="knowledge_pages_public_id", fields=["tenant", "public_id"]),
            # The target of the chunks' composite foreign key.
            models.UniqueConstraint(name="knowledge_pages_tenant_id", fields=["tenant", "id"]),
            models.UniqueConstraint(
                name="knowledge_pages_external_id",
                fields=["tenant", "knowledge_source_id", "external_id"],
                condition=Q(knowledge_source_id__isnull=False, external_id__isnull=False),
            ),
        ]
        indexes = [
            models.Index(name="knowledge_pages_public", fields=["tenant"], condition=Q(is_public=True)),
            models.Index(name="knowledge_pages_recent", fields=["tenant", "-created_at", "-id"]),
            models.Index(
                name="knowledge_pages_author",
                fields=["tenant", "author_member_id", "-created_at"],
                condition=Q(author_member_id__isnull=False),
            ),
            # Everything the audience predicate reads, so that a search need not visit the rows.
            models.Index(
                name="knowledge_pages_audience",
                fields=["tenant", "source_type"],
                include=["id", "audience_tiers"],
            ),
        ]

    def __str__(self) -> str:
        return self.slug
