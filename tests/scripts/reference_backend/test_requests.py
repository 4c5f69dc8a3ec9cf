"""Bodies that make no sense get a JSON answer with a status, and the backend goes on."""

from __future__ import annotations

import pytest

from tests.scripts.reference_backend.house import House, invocation, signature

DEEP = b"[" * 100_000
TOOL = "/integration/tools/search_members"


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b"\xff\xfe", DEEP, b'{"n":' + b"9" * 5000 + b"}"], ids=str
)
def test_what_is_no_json_object_is_a_bad_request(house: House, body: bytes) -> None:
    reply = house.signed("POST", TOOL, body=body)
    assert (reply.status, reply.json()["success"]) == (400, False)


def test_a_body_over_the_limit_is_refused_before_it_is_read(house: House) -> None:
    body = b'{"invocation_id":"' + b"x" * 300_000 + b'"}'
    headers = {**signature(body), "content-length": str(len(body))}
    assert house.send("POST", TOOL, body=b"", headers=headers).status == 413


@pytest.mark.parametrize("headers", [{"transfer-encoding": "chunked"}, {"content-length": "-1"}])
def test_a_body_of_unstated_length_is_refused(house: House, headers: dict[str, str]) -> None:
    assert house.send("POST", TOOL, headers={**signature(b""), **headers}).status == 411


@pytest.mark.parametrize("params", [[], "text", 3, True])
def test_params_must_be_an_object(house: House, params: object) -> None:
    assert house.invoke("search_members", params).status == 400


def test_an_invocation_without_id_is_refused(house: House) -> None:
    body = {**invocation({}), "invocation_id": None}
    assert house.post("/integration/tools/list_my_bookings", body).status == 400


def test_unknown_tools_are_not_found(house: House) -> None:
    for name in ("no_such_tool", "..%2Fmanifest", "%00%F0%9F", ""):
        reply = house.invoke(name)
        assert (reply.status, reply.json()["success"]) == (404, False)


def test_unknown_paths_and_wrong_methods(house: House) -> None:
    assert house.get("/integration/nothing").status == 404
    assert house.post("/integration/manifest", {}).status == 405
    assert house.get(TOOL).status == 405
    assert house.signed("DELETE", "/integration/escalations").status == 405
    assert house.send("BREW", "/integration/manifest").json()["success"] is False


def test_hostile_text_is_only_text(house: House) -> None:
    data = house.succeed("search_members", {"query": "\ud800 \x00 <script> ' OR 1=1 \u202e"})
    assert data["totalCount"] == 0
