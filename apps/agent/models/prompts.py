"""What communities add to the prompts, and every earlier state of it (contract §2.1, §4.5)."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from apps.tenancy.scoping import TenantModel


class RootPrompt(TenantModel):
    """A community's addition to one prompt; an empty one adds nothing."""

    key = models.TextField()
    content = models.TextField(default="", db_default="", blank=True)
    description = models.TextField(default="", db_default="", blank=True)
    updated_by = models.TextField(default="", db_default="", blank=True)
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    class Meta(TenantModel.Meta):
        db_table = "root_prompts"
        constraints = [models.UniqueConstraint(name="root_prompts_key", fields=["tenant", "key"])]

    def __str__(self) -> str:
        return self.key


class RootPromptVersion(TenantModel):
    """An addition as it was saved once; rows are only ever added."""

    key = models.TextField()
    content = models.TextField(default="", db_default="", blank=True)
    saved_at = models.DateTimeField(db_default=Now())
    saved_by = models.TextField(default="", db_default="", blank=True)

    class Meta(TenantModel.Meta):
        db_table = "root_prompt_versions"
        indexes = [models.Index(name="root_prompt_versions_recent", fields=["tenant", "key", "-saved_at"])]

    def __str__(self) -> str:
        return self.key
