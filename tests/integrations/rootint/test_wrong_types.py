"""Every key of every shape with every wrong type: a usable value, a clear failure, and nothing else."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from apps.foundation.errors import RootError
from apps.integrations.models import Integration
from apps.integrations.rootint.links import issue_link
from apps.integrations.rootint.manifest import Manifest, ManifestError, parse_manifest
from apps.integrations.rootint.people import identify, read_person
from apps.integrations.rootint.results import BadResult, ToolResult, read_result
from tests.fakes.backend import FakeBackend, Reply

WRONG: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    10**400,
    "",
    " ",
    "x\x00\ud800",
    [],
    [None],
    [[]],
    {},
    {"": None},
)
MANIFEST: dict[str, Any] = {
    "protocol": "root-int/1",
    "name": "house",
    "access_tiers": [
        "member",
        {
            "name": "mentor",
            "core_tools": ["who_knows"],
            "knowledge_source_types": ["pages"],
            "member_scoped": True,
        },
    ],
    "tools": [
        {
            "name": "find",
            "description": "Finds.",
            "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
            "channels": ["web"],
            "tiers": ["member"],
            "admin_only": False,
            "timeout_ms": 30_000,
            "status_label": "Looking",
            "read_only": True,
        }
    ],
    "prompt_sections": [{"channels": ["web"], "tiers": ["member"], "content": "Closed on Sundays."}],
    "link_destinations": ["desk"],
    "link_destination_details": [
        {
            "destination": "desk",
            "title": "Desk",
            "path": "/desk",
            "prompt_summary": "move it",
            "tiers": ["member"],
        }
    ],
    "public_guide_url": "https://house.example/",
}
PERSON: dict[str, Any] = {
    "principal_ref": "m-1",
    "display_name": "Ana",
    "tier": "member",
    "is_admin": False,
    "traits": {"team": "x"},
    "email": "ana@a.example",
    "slack_user_id": "U1",
    "profile_context": "Sails.",
}
RESULT: dict[str, Any] = {
    "success": True,
    "data": {"a": 1},
    "error": "no",
    "error_detail": "row 7",
    "images": [{"name": "a.png", "base64": "AAAA", "contentType": "image/png"}],
}


def damaged(whole: Any) -> Iterator[tuple[str, Any]]:
    """The value with each of its parts in turn replaced by each wrong one."""
    for way in _ways(whole):
        for wrong in WRONG:
            copied = copy.deepcopy(whole)
            place = copied
            for step in way[:-1]:
                place = place[step]
            place[way[-1]] = wrong
            yield f"{way} = {wrong!r:.20}", copied


def _ways(value: Any) -> Iterator[list[Any]]:
    steps: list[Any] = []
    if isinstance(value, dict):
        steps = list(value)
    elif isinstance(value, list):
        steps = list(range(len(value)))
    for step in steps:
        yield [step]
        yield from ([step, *rest] for rest in _ways(value[step]))


def test_a_manifest_is_refused_or_says_no_more_than_it_did() -> None:
    for what, raw in damaged(MANIFEST):
        try:
            read = parse_manifest(raw)
        except ManifestError as error:
            assert error.message, what
            continue
        assert isinstance(read, Manifest), what
        for tool in read.tools:
            # Nothing said at all (null) is as good as an absent key; everything else keeps its restriction.
            given = raw["tools"][0]
            assert (tool.channels is None) == (given["channels"] is None), what
            assert (tool.tiers is None) == (given["tiers"] is None), what


def test_a_tool_s_restriction_of_a_wrong_type_never_opens_it() -> None:
    for key in ("channels", "tiers", "admin_only"):
        for wrong in (wrong for wrong in WRONG if wrong not in (None, True, [])):
            raw = copy.deepcopy(MANIFEST)
            raw["tools"][0][key] = wrong
            with pytest.raises(ManifestError, match=key):
                parse_manifest(raw)


def test_a_person_is_usable_or_nobody() -> None:
    for what, raw in damaged(PERSON):
        person = read_person(raw)
        assert person is None or (person.ref and person.tier and person.is_admin in (True, False)), what
        # Only the word "true" of JSON itself makes an administrator.
        assert person is None or person.is_admin == (raw["is_admin"] is True), what


def test_a_result_is_read_or_refused() -> None:
    for what, raw in damaged(RESULT):
        try:
            assert isinstance(read_result(raw), ToolResult), what
        except BadResult:
            assert not isinstance(raw["success"], bool), what


@pytest.mark.parametrize("wrong", [0, True, "x", [], {}, [PERSON], {"principal": 7}, {"principal": []}])
def test_identity_replies_at_the_wire(integration: Integration, backend: FakeBackend, wrong: Any) -> None:
    backend.answer("POST /integration/identity/resolve", Reply(wrong))
    with pytest.raises(RootError):
        identify(integration, channel="slack", slack_user_id="U1")


@pytest.mark.parametrize(
    "wrong", [0, None, "https://x.example", [], {}, {"url": None}, {"url": ["https://x.example"]}]
)
def test_link_replies_at_the_wire(integration: Integration, backend: FakeBackend, wrong: Any) -> None:
    backend.answer("POST /integration/links/issue", Reply(wrong))
    with pytest.raises(RootError):
        issue_link(integration, destination="desk", principal_ref="m-1")
