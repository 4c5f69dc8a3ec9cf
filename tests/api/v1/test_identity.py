"""Who somebody is, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from apps.integrations.connect import connect
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.tenants import update_settings
from tests.api.v1.calling import Program
from tests.fakes.backend import FakeBackend

PATH = "/identity/resolve"


@pytest.fixture
def program(tenant: Tenant, backend: FakeBackend) -> Program:
    with tenant_context(tenant):
        connect("house", base_url=backend.url, signing_secret=str(backend.secret))
    return Program(tenant)


def test_the_backends_word_is_stored(program: Program) -> None:
    for body in ({"email": "Ada@harbour.example"}, {"slack_user_id": "U0ADA"}):
        status, answer = program.post(PATH, body)
        assert (status, answer["resolved"], answer["tier"]) == (200, True, "member")
        assert answer["principal"]["ref"] == "p-ada"
        # On what grounds they have their tier is nobody's business.
        assert answer["principal"]["traits"] == {}
    assert program.get("/principals/state", ref="p-ada")[1]["principal"]["slack_user_id"] == "U0ADA"


def test_somebody_nobody_vouches_for_is_an_answer(program: Program, tenant: Tenant) -> None:
    status, answer = program.post(PATH, {"email": "who@nowhere.example"})
    assert (status, answer["resolved"], answer["principal"]) == (200, False, None)
    assert answer["tier"] == "public_email"
    status, answer = program.post(PATH, {"email": "no address"})
    assert (status, answer["resolved"], answer["principal"]) == (200, False, None)
    update_settings(tenant, {"access": {"slack": "integration"}})
    status, answer = program.post(PATH, {"slack_user_id": "U0WHO"})
    assert (status, answer["resolved"], answer["tier"]) == (200, False, "unresolved")


def test_another_communitys_backend_is_not_asked(
    program: Program, other_tenant: Tenant, backend: FakeBackend
) -> None:
    asked = len(backend.requests)
    _, answer = Program(other_tenant).post(PATH, {"email": "ada@harbour.example"})
    assert (answer["resolved"], len(backend.requests)) == (False, asked)


@pytest.mark.parametrize(
    "body",
    [
        None,
        {},
        {"ref": "p-ada"},
        {"email": None},
        {"email": ""},
        {"email": "a@x.example", "slack_user_id": "U0"},
        {"email": "a\x00@x.example"},
        {"slack_user_id": 7},
        {"slack_user_id": "U" * 65},
    ],
)
def test_a_body_of_another_shape_is_400(program: Program, body: Any) -> None:
    assert program.post(PATH, body)[0] == 400
