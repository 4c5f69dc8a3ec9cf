"""Paths of a backend: defaults, overrides and what may not be stored."""

from __future__ import annotations

from typing import Any

import pytest

from apps.foundation.errors import BadInput
from apps.integrations.models import Integration
from apps.integrations.rootint.endpoints import ENDPOINTS, check_endpoint_paths, url_for


def test_defaults_are_the_protocols() -> None:
    assert {key: (row.path, row.method, row.timeout_seconds) for key, row in ENDPOINTS.items()} == {
        "manifest": ("/integration/manifest", "GET", 15),
        "tool_invoke": ("/integration/tools/:name", "POST", 120),
        "identity_resolve": ("/integration/identity/resolve", "POST", 10),
        "identity_roster": ("/integration/identity/roster", "GET", 30),
        "links_issue": ("/integration/links/issue", "POST", 10),
        "escalations": ("/integration/escalations", "POST", 120),
    }


def test_a_tools_name_is_escaped_into_its_path() -> None:
    row = Integration(base_url="https://b.example/root/", endpoint_paths={})
    assert (
        url_for(row, "tool_invoke", tool="a/../b ?é")
        == "https://b.example/root/integration/tools/a%2F..%2Fb%20%3F%C3%A9"
    )


def test_overridden_paths_are_used() -> None:
    row = Integration(
        base_url="https://b.example", endpoint_paths={"manifest": "/m?v=1", "tool_invoke": "/t/:name/run"}
    )
    assert url_for(row, "manifest") == "https://b.example/m?v=1"
    assert url_for(row, "tool_invoke", tool="x") == "https://b.example/t/x/run"
    assert url_for(row, "links_issue") == "https://b.example/integration/links/issue"


@pytest.mark.parametrize(
    "offered",
    [
        [],
        {"nonsense": "/x"},
        {"manifest": "x"},
        {"manifest": ""},
        {"manifest": 5},
        {"manifest": "/a b"},
        {"manifest": "/a\u2003b"},
        {"manifest": "/a\x00"},
        {"manifest": "/" + "a" * 512},
        {"tool_invoke": "/tools"},
        {"tool_invoke": "/tools/:names"},
    ],
)
def test_unusable_paths_are_refused(offered: Any) -> None:
    with pytest.raises(BadInput):
        check_endpoint_paths(offered)


def test_usable_paths_are_kept() -> None:
    offered = {"manifest": "/" + "a" * 511, "tool_invoke": "/x/:name"}
    assert check_endpoint_paths(offered) == offered
    assert check_endpoint_paths(None) == {}
