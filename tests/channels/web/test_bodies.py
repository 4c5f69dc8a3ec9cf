"""A body that cannot be used gets a typed error and one sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from apps.tenancy.models import TenantChannel

ROUTES = ["/web/harbour/messages", "/web/harbour/messages/stream"]


def _post(client: Client, path: str, token: str, body: Any, *, content_type: str = "application/json") -> Any:
    raw = body if isinstance(body, str | bytes) else json.dumps(body)
    return client.post(path, raw, content_type=content_type, headers={"Authorization": f"Bearer {token}"})


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize(
    "body",
    [
        " ",
        "{",
        b"\xff\xff",
        "[]",
        '"hello"',
        "null",
        "[" * 100_000,
        {},
        {"message": ""},
        {"message": " \x00\n"},
        {"message": "\u200b\u200d \u3164\u2800"},
        {"message": 7},
        {"message": None},
        {"message": ["a"]},
        {"message": "x" * 32_001},
        {"message": "hi", "email": "nobody"},
        {"message": "hi", "email": "a@b@c"},
        {"message": "hi", "email": "a b@c.example"},
        {"message": "hi", "email": {"x": 1}},
        {"message": "hi", "email": "a" * 250 + "@x.example"},
        {"message": "hi", "thread_key": 5},
        {"message": "hi", "thread_key": "x" * 501},
        {"message": "hi", "turn_id": "short"},
        {"message": "hi", "turn_id": "has spaces in it"},
    ],
)
def test_malformed(client: Client, web_channel: TenantChannel, token: str, path: str, body: Any) -> None:
    answer = _post(client, path, token, body)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == "bad_input"
    assert error["message"].endswith(".")
    assert len(error["message"]) < 200


@pytest.mark.parametrize("path", ROUTES)
def test_huge(client: Client, web_channel: TenantChannel, token: str, path: str) -> None:
    answer = _post(client, path, token, {"message": "x" * 600_000})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""]
)
def test_not_declared_as_json(
    client: Client, web_channel: TenantChannel, token: str, path: str, content_type: str
) -> None:
    answer = _post(client, path, token, {"message": "hi"}, content_type=content_type)
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("path", [*ROUTES, "/web/harbour/messages/cancel"])
@pytest.mark.parametrize("method", ["put", "delete", "patch"])
def test_other_methods(
    client: Client, web_channel: TenantChannel, token: str, path: str, method: str
) -> None:
    answer = getattr(client, method)(path, headers={"Authorization": f"Bearer {token}"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "method_not_allowed")


def test_the_stream_is_not_read_with_get(client: Client, web_channel: TenantChannel, token: str) -> None:
    assert (
        client.get("/web/harbour/messages/stream", headers={"Authorization": f"Bearer {token}"}).status_code
        == 405
    )


@pytest.mark.parametrize("path", ROUTES)
def test_an_address_with_thousands_of_parameters(
    client: Client, web_channel: TenantChannel, token: str, path: str
) -> None:
    answer = _post(client, f"{path}?{'a=1&' * 2_000}", token, {"message": "hi"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_input")


@pytest.mark.parametrize("path", ["/web/harbour/messages", "/web/harbour/test"])
def test_while_the_database_is_away(client: Client, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    def away(_slug: str) -> None:
        raise OperationalError("connection refused at 10.0.0.5")

    monkeypatch.setattr("apps.channels.web.views.open_channel", away)
    answer = client.get(path)
    assert answer.status_code == 503
    assert "10.0.0.5" not in answer.content.decode()
