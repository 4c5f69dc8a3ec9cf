"""How common words are in a tenant's pages: what the keyword ranking weighs by (contract §10.2)."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from apps.tenancy.scoping import TenantModel


class KeywordFrequency(TenantModel):
    """In how many chunks a word stands."""

    lexeme = models.TextField()
    ndoc = models.IntegerField()

    class Meta(TenantModel.Meta):
        db_table = "keyword_df"
        constraints = [models.UniqueConstraint(name="keyword_df_lexeme", fields=["tenant", "lexeme"])]

    def __str__(self) -> str:
        return f"{self.lexeme}: {self.ndoc}"


class KeywordStats(TenantModel):
    """The size of what was counted, and when."""

    n = models.IntegerField()
    avgdl = models.FloatField()
    chunks_at_refresh = models.IntegerField()
    refreshed_at = models.DateTimeField(db_default=Now())

    class Meta(TenantModel.Meta):
        db_table = "keyword_stats"
        constraints = [models.UniqueConstraint(name="keyword_stats_one_a_tenant", fields=["tenant"])]

    def __str__(self) -> str:
        return f"{self.n} chunks"
