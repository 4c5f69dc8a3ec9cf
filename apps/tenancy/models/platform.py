"""Who operates the platform itself, and what they set for all of it (contract §2.2)."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.db.models.functions import Now


class OperatorManager(BaseUserManager["Operator"]):
    """Creates operators by address; there is no password to set."""

    def create_operator(self, email: str, **fields: Any) -> Operator:
        operator = self.model(email=self.normalize_email(email), **fields)
        operator.set_unusable_password()
        operator.save()
        return operator


class Operator(AbstractBaseUser, PermissionsMixin):
    """Django's user model: a platform operator, known by e-mail, without a usable password."""

    email = models.EmailField(unique=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = OperatorManager()

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        db_table = "operators"

    def __str__(self) -> str:
        return self.email

    def has_perm(self, perm: str, obj: object = None) -> bool:
        """The list of platform admins is the permission: whoever has a row may do what the admin site offers."""
        return self.is_active

    def has_module_perms(self, app_label: str) -> bool:
        return self.is_active


class PlatformSetting(models.Model):
    """One value for the whole platform, under a name. No community's data, so its manager is not scoped."""

    key = models.TextField(primary_key=True)
    value: models.JSONField[Any, Any] = models.JSONField()
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    class Meta:
        db_table = "platform_settings"

    def __str__(self) -> str:
        return self.key


class PlatformAdmin(models.Model):
    """An address that may operate the platform: an :class:`Operator` exists exactly while its address is here."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, db_default=RandomUUID(), editable=False)
    email = models.TextField(unique=True)
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        db_table = "platform_admins"

    def __str__(self) -> str:
        return self.email
