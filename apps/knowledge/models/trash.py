"""What was deleted and can still be brought back for a week (contract §11, the trash)."""

from __future__ import annotations

from django.db import models

from apps.tenancy.scoping import TenantModel


class KnowledgeTrash(TenantModel):
    """A copy of a deleted page, without vectors; its slug and external id are free at once."""

    slug = models.TextField()
    title = models.TextField()
    knowledge_source_id = models.UUIDField(null=True)
    external_id = models.TextField(null=True)  # noqa: DJ001 - NULL means none
    page = models.JSONField(default=dict)
    deleted_by = models.TextField(default="", db_default="")
    reason = models.TextField(default="", db_default="")

    class Meta(TenantModel.Meta):
        db_table = "knowledge_trash"
        indexes = [
            models.Index(name="knowledge_trash_recent", fields=["tenant", "-created_at"]),
            models.Index(
                name="knowledge_trash_external", fields=["tenant", "knowledge_source_id", "external_id"]
            ),
            models.Index(name="knowledge_trash_age", fields=["created_at"]),
        ]

    def __str__(self) -> str:
        return self.slug
