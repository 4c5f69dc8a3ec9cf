"""What people asked to be remembered about how they are answered (contract §2.4)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.tenancy.scoping import TenantModel


class PreferenceType(models.TextChoices):
    """What kind of wish it is; an alias says what a word of theirs means."""

    NICKNAME_ALIAS = "nickname_alias"
    FORMATTING = "formatting"
    TONE = "tone"
    WORKFLOW = "workflow"
    NAMING = "naming"
    CUSTOM = "custom"


class PreferenceScope(models.TextChoices):
    """Where it holds. Web chat and API have no scope of their own: what holds everywhere holds there."""

    ALL = "all"
    SLACK = "slack"
    EMAIL = "email"


class MemberPreference(TenantModel):
    """One wish of one person, named by their ref; forgetting it only makes it inactive."""

    member_id = models.TextField()
    instructions = models.TextField()
    preference_type = models.TextField(
        choices=PreferenceType.choices, default=PreferenceType.CUSTOM, db_default=PreferenceType.CUSTOM
    )
    trigger_phrase = models.TextField(default="", db_default="", blank=True)
    canonical_value = models.TextField(default="", db_default="", blank=True)
    channel_scope = models.TextField(
        choices=PreferenceScope.choices, default=PreferenceScope.ALL, db_default=PreferenceScope.ALL
    )
    active = models.BooleanField(default=True, db_default=True)
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    class Meta(TenantModel.Meta):
        db_table = "member_preferences"
        constraints = [
            models.CheckConstraint(
                name="member_preferences_type_known", condition=Q(preference_type__in=PreferenceType.values)
            ),
            models.CheckConstraint(
                name="member_preferences_scope_known", condition=Q(channel_scope__in=PreferenceScope.values)
            ),
        ]
        indexes = [
            models.Index(
                name="member_preferences_active",
                fields=["tenant", "member_id", "-updated_at"],
                condition=Q(active=True),
            )
        ]

    def __str__(self) -> str:
        return f"{self.preference_type} of {self.member_id}"
