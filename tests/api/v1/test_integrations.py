"""Backends registered, looked at again, given new secrets and disabled, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from apps.integrations.models import Integration
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.api.v1.calling import Program, counted_queries
from tests.fakes.backend import FakeBackend, Reply

PATH = "/integrations"


@pytest.fixture
def program(tenant: Tenant) -> Program:
    return Program(tenant)


def registered(program: Program, backend: FakeBackend, **given: Any) -> Any:
    body = {"name": "house", "base_url": backend.url, "signing_secret": str(backend.secret), **given}
    status, answer = program.post(PATH, body)
    assert status == 201, answer
    return answer


def test_a_backend_is_registered_and_then_asked_for_its_manifest(
    program: Program, backend: FakeBackend
) -> None:
    answer = registered(program, backend)
    assert answer["signing_secret"] == str(backend.secret)
    assert answer["integration"]["status"] == "pending" and answer["integration"]["environment"] == "live"
    status, looked = program.post(f"{PATH}/house/refresh")
    assert (status, looked["refreshed"], looked["problem"]) == (200, True, None)
    assert looked["integration"]["status"] == "active"
    assert looked["integration"]["tools"] == ["search_members", "book_room", "close_house"]
    _, listed = program.get(PATH)
    assert [row["name"] for row in listed["items"]] == ["house"]
    assert str(backend.secret) not in str(listed)


def test_a_secret_is_made_when_none_is_given_and_shown_once(program: Program) -> None:
    _, answer = program.post(PATH, {"name": "a1", "base_url": "https://a.example/x"})
    secret = answer["signing_secret"]
    assert len(secret) == 64
    assert secret not in str(program.get(PATH)[1])
    status, rotated = program.post(f"{PATH}/a1/rotate-secret")
    assert status == 200 and rotated["signing_secret"] not in {secret, ""}


def test_a_backend_that_does_not_answer_well_is_a_problem_told(
    program: Program, backend: FakeBackend
) -> None:
    registered(program, backend)
    program.post(f"{PATH}/house/refresh")
    for reply in (Reply({"no": "manifest"}), Reply({}, status=500), Reply(b"<html>")):
        backend.answer("GET /integration/manifest", reply)
        status, answer = program.post(f"{PATH}/house/refresh")
        assert (status, answer["refreshed"]) == (200, False) and answer["problem"]
        # What it had stays in use.
        assert answer["integration"]["status"] == "active" and answer["integration"]["tools"]


def test_a_disabled_backend_stays_on_record_and_its_name_is_free(
    program: Program, backend: FakeBackend
) -> None:
    registered(program, backend)
    assert [program.delete(f"{PATH}/house")[0] for _ in range(2)] == [204, 204]
    assert program.get(PATH)[1]["items"][0]["status"] == "disabled"
    assert program.post(f"{PATH}/house/refresh")[0] == 409
    assert registered(program, backend)["integration"]["status"] == "pending"
    status, answer = program.post(PATH, {"name": "house", "base_url": backend.url})
    assert (status, answer["error"]["code"]) == (409, "conflict")


def test_paths_of_its_own(program: Program, backend: FakeBackend) -> None:
    paths = {"tool_invoke": "/t/:name", "manifest": "/m", "links_issue": None}
    answer = registered(program, backend, endpoint_paths=paths)
    assert answer["integration"]["endpoint_paths"] == {"tool_invoke": "/t/:name", "manifest": "/m"}


GOOD = {"name": "house", "base_url": "https://backend.example"}


@pytest.mark.parametrize(
    "body",
    [
        None,
        {},
        {"name": "house"},
        {**GOOD, "name": "A"},
        {**GOOD, "name": "h"},
        {**GOOD, "name": "-house"},
        {**GOOD, "name": "x" * 65},
        {**GOOD, "name": "house\n"},
        {**GOOD, "base_url": "ftp://backend.example"},
        {**GOOD, "base_url": "https://"},
        {**GOOD, "base_url": "https://a:b@backend.example"},
        {**GOOD, "base_url": "https://backend.example:70000"},
        {**GOOD, "base_url": "https://backend.example?x=1"},
        {**GOOD, "base_url": "https://backend.example/\x00"},
        {**GOOD, "base_url": "https://1.2.3.256"},
        {**GOOD, "base_url": "javascript:alert(1)"},
        {**GOOD, "signing_secret": "short"},
        {**GOOD, "signing_secret": "x" * 513},
        {**GOOD, "endpoint_paths": {"tools": "/t"}},
        {**GOOD, "endpoint_paths": {"manifest": "m"}},
        {**GOOD, "endpoint_paths": {"tool_invoke": "/names"}},
        {**GOOD, "endpoint_paths": {"tool_invoke": "/:names"}},
        {**GOOD, "status": "active"},
    ],
)
def test_a_body_of_another_shape_is_400(program: Program, tenant: Tenant, body: Any) -> None:
    assert program.post(PATH, body)[0] == 400
    with tenant_context(tenant):
        assert not Integration.objects.exists()


@pytest.mark.parametrize("name", ["nothing", "NOTHING", "a%00b", "%ff", "x" * 300, "a'b"])
def test_names_that_are_not_there_are_404(program: Program, name: str) -> None:
    assert program.post(f"{PATH}/{name}/refresh")[0] == 404
    assert program.post(f"{PATH}/{name}/rotate-secret")[0] == 404
    assert program.delete(f"{PATH}/{name}")[0] == 404


def test_backends_of_others_are_not_there(
    program: Program, other_tenant: Tenant, backend: FakeBackend
) -> None:
    registered(program, backend)
    theirs = Program(other_tenant)
    assert theirs.get(PATH)[1]["items"] == []
    assert theirs.delete(f"{PATH}/house")[0] == 404
    assert theirs.post(f"{PATH}/house/refresh")[0] == 404
    assert theirs.post(f"{PATH}/house/rotate-secret")[0] == 404
    assert backend.requests == []


def test_rows_cost_no_statements(program: Program) -> None:
    program.post(PATH, {"name": "a0", "base_url": "https://a.example"})
    with counted_queries() as few:
        program.get(PATH)
    for number in range(1, 6):
        program.post(PATH, {"name": f"a{number}", "base_url": "https://a.example"})
    with counted_queries() as many:
        assert len(program.get(PATH)[1]["items"]) == 6
    assert many == few
