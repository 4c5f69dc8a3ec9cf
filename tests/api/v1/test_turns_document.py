"""What the OpenAPI document says of turns and tools is what the code takes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator


@pytest.fixture
def document(db: None) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Client().get("/api/v1/openapi.json").content)
    return found


def test_a_turn_has_two_forms_and_every_status(document: dict[str, Any]) -> None:
    turn = document["paths"]["/api/v1/agent/turns"]["post"]
    assert turn["operationId"] == "agent_turns"
    assert turn["responses"]["200"]["content"].keys() == {"application/json", "application/x-ndjson"}
    assert turn["responses"].keys() >= {"400", "401", "403", "404", "409", "413", "415", "500", "503"}
    assert turn["security"] == [{"key": []}]
    assert [each["name"] for each in turn["parameters"]] == ["Idempotency-Key"]


@pytest.mark.parametrize(
    ("principal", "fits"),
    [
        ({"ref": "p-1"}, True),
        ({"email": "ada@harbour.example"}, True),
        ({"slack_user_id": "U0ADA"}, True),
        ({}, False),
        ({"ref": None}, False),
        ({"ref": "p-1", "email": None}, False),
        ({"ref": "p-1", "email": "ada@harbour.example"}, False),
        ({"email": "nobody"}, False),
        ({"name": "Ada"}, False),
    ],
)
def test_a_principal_is_exactly_one_of_three(
    document: dict[str, Any], principal: dict[str, Any], fits: bool
) -> None:
    schema = {**document["components"]["schemas"]["PrincipalChosen"], "components": document["components"]}
    assert Draft202012Validator(schema).is_valid(principal) is fits
