"""Personal links to private pages, and the browsers they are bound to (contract §2.4, §10.5)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from apps.knowledge.models.pages import KnowledgePage
from apps.tenancy.scoping import TenantModel


class WebBrowserSession(TenantModel):
    """One browser of one person; only the hash of its cookie is kept."""

    principal = models.ForeignKey(
        "tenancy.Principal", on_delete=models.CASCADE, related_name="+", db_index=False
    )
    token_hash = models.TextField(unique=True)
    expires_at = models.DateTimeField()
    last_seen_at = models.DateTimeField(null=True)

    class Meta(TenantModel.Meta):
        db_table = "web_browser_sessions"
        indexes = [
            models.Index(name="web_browser_sessions_person", fields=["tenant", "principal"]),
            models.Index(name="web_browser_sessions_end", fields=["expires_at"]),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class WebLinkToken(TenantModel):
    """One link for one person; the first browser that opens it is the only one that ever will."""

    principal = models.ForeignKey(
        "tenancy.Principal", on_delete=models.CASCADE, related_name="+", db_index=False
    )
    page = models.ForeignKey(
        KnowledgePage, on_delete=models.CASCADE, related_name="+", null=True, db_index=False
    )
    destination = models.TextField(default="", db_default="")
    token_hash = models.TextField(unique=True)
    expires_at = models.DateTimeField()
    browser_session = models.ForeignKey(
        WebBrowserSession, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    bound_at = models.DateTimeField(null=True)

    class Meta(TenantModel.Meta):
        db_table = "web_link_tokens"
        constraints = [
            # A browser session that is gone leaves the link used up, not free again.
            models.CheckConstraint(
                name="web_link_tokens_bound_once",
                condition=Q(browser_session__isnull=True) | Q(bound_at__isnull=False),
            )
        ]
        indexes = [
            models.Index(name="web_link_tokens_person", fields=["tenant", "principal"]),
            models.Index(name="web_link_tokens_page", fields=["page"]),
            models.Index(name="web_link_tokens_end", fields=["expires_at"]),
        ]

    def __str__(self) -> str:
        return str(self.pk)
