"""Rows of one community that point to a row of another: refused by the database, or read as pointing nowhere."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import IntegrityError, connection, models, transaction

from apps.foundation import clock
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.scoping import TenantModel
from tests.isolation.cast import MARKERS
from tests.isolation.rows import a_row, tenant_models
from tests.isolation.surface import sources

Link = tuple[type[TenantModel], models.ForeignKey[Any, Any]]
# Keys the database holds by id alone. The scoped managers keep anybody from following one; see below.
BY_ID_ALONE = {
    "agent_runs.principal_id",
    "api_request_usage.api_key_id",  # and must stay so: a shadow's usage names a key of its live community
    "conversation_logs.principal_id",
    "human_interventions.principal_id",
    "web_browser_sessions.principal_id",
    "web_link_tokens.browser_session_id",
    "web_link_tokens.page_id",
    "web_link_tokens.principal_id",
}

# What must be said beside a key, or the row is refused for that.
ALONG = {"browser_session": {"bound_at": clock.now()}}
# Paths within JSON, which only look like a way to another table.
IN_JSON = {"apps.knowledge.trash": "page__public_id"}


def links() -> list[Link]:
    """Every key from a community's table to another."""
    return [
        (model, field)
        for model in tenant_models()
        for field in model._meta.concrete_fields
        if isinstance(field, models.ForeignKey) and issubclass(field.remote_field.model, TenantModel)
    ]


def named(link: Link) -> str:
    return f"{link[0]._meta.db_table}.{link[1].column}"


def held_with_the_tenant() -> set[str]:
    """The columns of composite keys, as the database's catalogue has them."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.conrelid::regclass::text, a.attname, t.attname FROM pg_constraint c"
            " JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY(c.conkey)"
            " JOIN pg_attribute t ON t.attrelid = c.conrelid AND t.attnum = ANY(c.conkey)"
            " WHERE c.contype = 'f' AND t.attname = 'tenant_id' AND a.attname <> 'tenant_id'"
        )
        return {f"{table}.{column}" for table, column, _ in cursor.fetchall()}


def test_which_keys_the_database_holds_with_the_tenant(db: None) -> None:
    held = held_with_the_tenant()
    assert {named(link) for link in links() if named(link) not in held} == BY_ID_ALONE


def test_no_query_joins_through_a_key_that_is_held_by_id_alone() -> None:
    """A join asks no manager: it would show the row that the key points to, whoever owns it."""
    names = {named(link): link[1].name for link in links()}
    alone = "|".join(sorted({names[key] for key in BY_ID_ALONE}))
    joins = re.compile(rf"\b(?:{alone})__(?!isnull)\w+|(?:select|prefetch)_related\([^)]*\"(?:{alone})\"")
    found = {module: joins.findall(text) for module, text in sources().items() if joins.search(text)}
    assert found == {module: [path] for module, path in IN_JSON.items()}


@pytest.mark.parametrize("link", links(), ids=named)
def test_a_row_that_points_across_is_refused_or_points_nowhere(
    link: Link, tenant: Tenant, other_tenant: Tenant
) -> None:
    model, field = link
    target: Any = field.remote_field.model
    with tenant_context(other_tenant):
        foreign = a_row(target, MARKERS["mill"])
    with tenant_context(tenant):
        if named(link) in BY_ID_ALONE:
            _points_nowhere(model, field, foreign)
        else:
            _is_refused(model, field, foreign)


def _is_refused(model: type[TenantModel], field: models.ForeignKey[Any, Any], foreign: TenantModel) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        a_row(model, MARKERS["harbour"], **{field.attname: foreign.pk})
        _check_now()
    row = a_row(model, MARKERS["harbour"])
    with pytest.raises(IntegrityError), transaction.atomic():
        model.objects.filter(pk=row.pk).update(**{field.attname: foreign.pk})
        _check_now()


def _points_nowhere(
    model: type[TenantModel], field: models.ForeignKey[Any, Any], foreign: TenantModel
) -> None:
    row = a_row(model, MARKERS["harbour"], **{field.attname: foreign.pk, **ALONG.get(field.name, {})})
    with pytest.raises(type(foreign).DoesNotExist):
        getattr(model.objects.get(pk=row.pk), field.name)


def _check_now() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
