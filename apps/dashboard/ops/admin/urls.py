"""The admin's addresses: every table that is shown at all is named here (contract §14.1)."""

from __future__ import annotations

from typing import Final

from django.db.models import Model
from django.urls import path
from django_celery_beat.models import PeriodicTask

from apps.agent.models import AgentRun, ConversationLog, HumanIntervention
from apps.dashboard.ops.admin import records
from apps.dashboard.ops.admin.backends import BackendPage
from apps.dashboard.ops.admin.base import ReadOnly
from apps.dashboard.ops.admin.jobs import JobEventPage, JobPage, SchedulePage
from apps.dashboard.ops.admin.keys import KeyPage
from apps.dashboard.ops.admin.people import PlatformAdminPage, UserPage
from apps.dashboard.ops.admin.sections import words_for
from apps.dashboard.ops.admin.site import site
from apps.dashboard.ops.admin.tenants import TenantPage
from apps.integrations.models import Integration
from apps.tenancy.models import (
    IntegrationToolCall,
    LlmTokenUsage,
    PlatformAdmin,
    QueueJob,
    QueueJobEvent,
    Tenant,
    TenantApiKey,
    TenantUser,
)

PAGES: Final[dict[type[Model], type[ReadOnly]]] = {
    Tenant: TenantPage,
    TenantUser: UserPage,
    TenantApiKey: KeyPage,
    Integration: BackendPage,
    PlatformAdmin: PlatformAdminPage,
    QueueJob: JobPage,
    QueueJobEvent: JobEventPage,
    PeriodicTask: SchedulePage,
    AgentRun: records.RunPage,
    ConversationLog: records.MessagePage,
    IntegrationToolCall: records.ToolCallPage,
    LlmTokenUsage: records.ModelUsagePage,
    HumanIntervention: records.MatterPage,
}
for model, page in PAGES.items():
    # In buttons, messages and the way back, too; here and not in the models, one of which is not ours.
    _, model._meta.verbose_name, model._meta.verbose_name_plural = words_for(model)
    if not site.is_registered(model):
        site.register(model, page)

urlpatterns = [path("admin/", site.urls)]
