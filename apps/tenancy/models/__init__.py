"""The tables tenancy owns, behind one import path."""

from apps.tenancy.models.assets import TenantAsset
from apps.tenancy.models.channel import TenantChannel
from apps.tenancy.models.credentials import TenantCredential
from apps.tenancy.models.idempotency import IdempotentRequest
from apps.tenancy.models.jobs import JobState, QueueJob, QueueJobEvent
from apps.tenancy.models.keys import TenantApiKey
from apps.tenancy.models.people import Principal
from apps.tenancy.models.platform import Operator, PlatformAdmin, PlatformSetting
from apps.tenancy.models.tenant import ROOT_TENANT_ID, ROOT_TENANT_SLUG, Tenant
from apps.tenancy.models.usage import ApiRequestUsage, IntegrationToolCall, LlmTokenUsage
from apps.tenancy.models.users import TenantUser

__all__ = [
    "ROOT_TENANT_ID",
    "ROOT_TENANT_SLUG",
    "ApiRequestUsage",
    "IdempotentRequest",
    "IntegrationToolCall",
    "JobState",
    "LlmTokenUsage",
    "Operator",
    "PlatformAdmin",
    "PlatformSetting",
    "Principal",
    "QueueJob",
    "QueueJobEvent",
    "Tenant",
    "TenantApiKey",
    "TenantAsset",
    "TenantChannel",
    "TenantCredential",
    "TenantUser",
]
