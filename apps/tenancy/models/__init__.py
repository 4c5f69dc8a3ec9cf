"""The tables tenancy owns, behind one import path."""

from apps.tenancy.models.channel import TenantChannel
from apps.tenancy.models.jobs import JobState, QueueJob
from apps.tenancy.models.keys import TenantApiKey
from apps.tenancy.models.people import Principal
from apps.tenancy.models.platform import Operator, PlatformSetting
from apps.tenancy.models.tenant import ROOT_TENANT_ID, ROOT_TENANT_SLUG, Tenant
from apps.tenancy.models.usage import IntegrationToolCall, LlmTokenUsage

__all__ = [
    "ROOT_TENANT_ID",
    "ROOT_TENANT_SLUG",
    "IntegrationToolCall",
    "JobState",
    "LlmTokenUsage",
    "Operator",
    "PlatformSetting",
    "Principal",
    "QueueJob",
    "Tenant",
    "TenantApiKey",
    "TenantChannel",
]
