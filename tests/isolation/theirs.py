"""A community with a row in every table and a backend, for tests of what its ids are worth elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import connection

from apps.integrations.models import Integration
from apps.integrations.person import ResolvedPerson, resolved
from apps.knowledge.models import KnowledgePage
from apps.tenancy import channels, credentials, principals
from apps.tenancy.models import Tenant
from apps.tenancy.principals import PersonFacts
from apps.tenancy.scoping import TenantModel
from tests.fakes.backend import FakeBackend
from tests.isolation.cast import EMAIL, REF, SLACK
from tests.isolation.rows import a_row, tenant_models

SECRET = "A-SECRET-42"
KNOWN = PersonFacts(ref=REF, tier="member", display_name="Ada", email=EMAIL, slack_user_id=SLACK)


@dataclass(frozen=True)
class Theirs:
    """Everything they have, by the ids another might come to know."""

    tenant: Tenant
    rows: dict[type[TenantModel], TenantModel]
    person: ResolvedPerson
    token: str
    backend: FakeBackend

    def id_of(self, model: type[TenantModel]) -> Any:
        return self.rows[model].pk

    def row(self, model: type[TenantModel]) -> Any:
        return self.rows[model]

    @property
    def slug(self) -> str:
        return str(self.row(KnowledgePage).slug)


def theirs_of(tenant: Tenant, backend: FakeBackend) -> Theirs:
    """Makes them; call it in the tenant's context."""
    person = resolved(principals.upsert(KNOWN), channel="web")
    Integration.objects.create(name="house", base_url=backend.url, signing_secret="wire-secret")
    token = channels.open_web_channel(config={"title": SECRET})
    credentials.store_credential("slack.bot", value=SECRET)
    rows = {model: model.objects.first() or a_row(model, SECRET) for model in tenant_models()}
    return Theirs(tenant, rows, person, token, backend)


def everything_of(tenant: Tenant) -> list[str]:
    """Each of its rows, whole."""
    found: list[str] = []
    with connection.cursor() as cursor:
        for model in tenant_models():
            table = model._meta.db_table
            cursor.execute(f'SELECT t::text FROM "{table}" t WHERE tenant_id = %s ORDER BY id', [tenant.pk])
            found += [f"{table} {text}" for (text,) in cursor.fetchall()]
    return found
