"""Requests a program may send twice (contract §12.2, Idempotency-Key)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from apps.tenancy.scoping import TenantModel


class IdempotentRequest(TenantModel):
    """One request by its caller's own key. ``status`` and ``answer`` are there once it was answered."""

    operation = models.TextField()
    key = models.TextField()
    fingerprint = models.TextField()
    status = models.IntegerField(null=True)
    answer = models.JSONField(null=True)
    claimed_at = models.DateTimeField()

    class Meta(TenantModel.Meta):
        db_table = "idempotent_requests"
        constraints = [
            models.UniqueConstraint(name="idempotent_requests_once", fields=["tenant", "operation", "key"]),
            models.CheckConstraint(
                name="idempotent_requests_answer_with_status",
                condition=Q(status__isnull=False) | Q(answer__isnull=True),
            ),
        ]
        indexes = [models.Index(name="idempotent_requests_age", fields=["created_at"])]

    def __str__(self) -> str:
        return f"{self.operation} {self.key}"
